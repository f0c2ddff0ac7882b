// The ground: a grid of a known spacing, and a soft shadow of what stands above it.
import {Buffer, METRES, Program, makeTexture} from './graphics.js';
import {niceStep} from './numbers.js';
import {BLUR_FRAGMENT, BLUR_VERTEX, GROUND_FRAGMENT, GROUND_VERTEX, SHADOW_FRAGMENT, SHADOW_VERTEX}
  from './shaders.js';

const RESOLUTION = 256;

export class Ground {
  constructor(gl, dataset) {
    this.gl = gl;
    this.height = dataset.outline.reduce((least, p) => Math.min(least, p[1]), Infinity);
    this.middle = dataset.low.map((l, a) => a === 1 ? this.height : (l + dataset.high[a]) / 2);
    this.reach = 0.5 * dataset.size;
    this.spacing = niceStep(2 * this.reach, 10);
    this.#makeGrid();
    this.#makeShadow();
  }

  #makeGrid() {
    const count = Math.ceil(3 * this.reach / this.spacing);
    const [x, , z] = this.middle.map(m => Math.round(m / this.spacing) * this.spacing);
    const end = count * this.spacing, lines = [];
    for (let i = -count; i <= count; ++i) {
      const d = i * this.spacing;
      lines.push(x + d, this.height, z - end, x + d, this.height, z + end);
      lines.push(x - end, this.height, z + d, x + end, this.height, z + d);
    }
    this.grid = new Buffer(this.gl);
    this.grid.fill(Float32Array.from(lines));
  }

  #makeShadow() {
    const {gl} = this;
    this.shadow = new Program(gl, SHADOW_VERTEX, SHADOW_FRAGMENT);
    this.blur = new Program(gl, BLUR_VERTEX, BLUR_FRAGMENT);
    this.cover = new Program(gl, GROUND_VERTEX, GROUND_FRAGMENT);
    this.corners = new Buffer(gl);
    this.corners.fill(Float32Array.of(-1, -1, 1, -1, -1, 1, 1, 1));
    this.targets = [0, 1].map(() => {
      const texture = makeTexture(gl, gl.R8, RESOLUTION, RESOLUTION, null);
      const target = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
      return {texture, target};
    });
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  /** Draws the shadow of `shapes` into a picture of its own. */
  cast(shapes, uniforms) {
    const {gl} = this;
    const wide = 1.5 * this.reach, [x, , z] = this.middle;
    const fromAbove = new Float32Array([
      1 / wide, 0, 0, 0, 0, 0, 0, 0, 0, 1 / wide, 0, 0, -x / wide, -z / wide, 0, 1]);
    gl.viewport(0, 0, RESOLUTION, RESOLUTION);
    gl.disable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.targets[0].target);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.shadow.use({...uniforms, view: fromAbove});
    for (const shape of shapes) shape.draw(this.shadow);
    // Two passes in each direction: a wide, even blur from few samples.
    for (const stride of [1, 2]) {
      this.#blurInto(0, 1, [stride / RESOLUTION, 0]);
      this.#blurInto(1, 0, [0, stride / RESOLUTION]);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
  }

  #blurInto(from, to, stride) {
    const {gl} = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.targets[to].target);
    gl.bindTexture(gl.TEXTURE_2D, this.targets[from].texture);
    this.blur.use({image: 0, stride});
    this.#drawCorners(this.blur);
  }

  #drawCorners(program) {
    this.corners.feed(program.attribute('corner'), 2);
    this.gl.drawArrays(this.gl.TRIANGLE_STRIP, 0, 4);
  }

  /** Shadow and grid, from above only: seen from below they would hide the bodies. */
  draw(marks, view, ink, darkness, eyeHeight) {
    if (eyeHeight < this.height) return;
    const {gl} = this;
    const wide = 1.5 * this.reach;
    gl.depthMask(false);
    gl.bindTexture(gl.TEXTURE_2D, this.targets[0].texture);
    this.cover.use({view, image: 0, darkness, size: [2 * wide, 0, 2 * wide],
      low: [this.middle[0] - wide, this.height, this.middle[2] - wide]});
    this.#drawCorners(this.cover);
    marks.use({view, ...METRES, cut: [0, 0, 0, 1], ink, round: false, middle: this.middle,
      fade: 3 * this.reach, nearer: 0});
    this.grid.feed(marks.attribute('position'), 3);
    gl.drawArrays(gl.LINES, 0, this.grid.length / 3);
    gl.depthMask(true);
  }
}
