// Draws one instant of a run into a canvas.
import {bodyColour, mapTexture} from './colour.js';
import {Buffer, METRES, Program, makeTexture} from './graphics.js';
import {Ground} from './ground.js';
import {MARK_FRAGMENT, MARK_VERTEX, SURFACE_FRAGMENT, SURFACE_VERTEX} from './shaders.js';
import {SetupMarks} from './setup_marks.js';
import {CellShape, SectionShape, SurfaceShape} from './shapes.js';
import {add, dot, normalised, scaled} from './vectors.js';

const NO_CUT = [0, 0, 0, 1];
const CAP_COLOUR = [0.55, 0.55, 0.55];

/** What the context must offer; null where the browser has no WebGL 2. */
export function openGraphics(canvas) {
  return canvas.getContext('webgl2', {antialias: true, stencil: true, alpha: true});
}

export class Renderer {
  constructor(gl, dataset) {
    this.gl = gl;
    this.dataset = dataset;
    this.surfaces = new Program(gl, SURFACE_VERTEX, SURFACE_FRAGMENT);
    this.marks = new Program(gl, MARK_VERTEX, MARK_FRAGMENT);
    this.maps = Object.fromEntries(['sequential', 'diverging'].map(map =>
      [map, makeTexture(gl, gl.SRGB8_ALPHA8, 256, 1, mapTexture(map, 256))]));
    this.ground = new Ground(gl, dataset);
    this.up = dataset.up;
    this.level = dataset.up[1] > 0;  // the ground knows no other axis
    const bodies = dataset.bodies.keys();
    this.skins = [...bodies].map(b => new SurfaceShape(gl, dataset, b));
    this.cells = this.skins.map(() => null);
    this.sections = this.skins.map((_, b) =>
      dataset.hasLattice ? new SectionShape(gl, dataset, b) : null);
    this.setupMarks = new SetupMarks(gl, dataset);
    this.capQuad = new Buffer(gl);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /**
   * `view`: frame; field, scale and valuesOf(support, body) where colours show one; cut as normal
   * and offset, or null; lattice, lit, setup; camera; theme with inks and the depth of the shadow.
   * Returns the number of triangles.
   */
  draw(view, width, height) {
    const {gl, dataset} = this;
    const aspect = width / height;
    const onCells = view.field !== null && !view.field.vertex;
    const shapes = this.skins.map((skin, b) =>
      onCells && dataset.bodies[b].cells.length > 0 ? this.#cellShape(b) : skin);
    this.#fill(shapes, view);

    const eye = view.camera.eye, {right, up, back} = view.camera.axes;
    const uniforms = {
      low: dataset.low,
      // Codes arrive as parts of 65535, and the last of them means nowhere.
      size: dataset.low.map((l, a) => (dataset.high[a] - l) * 65535 / dataset.header.positionSteps),
      coded: true,
      view: view.camera.matrix(aspect),
      eye,
      cut: view.cut ? [...view.cut.normal, view.cut.offset] : NO_CUT,
      key: normalised(add(add(scaled(up, 1.0), scaled(right, -0.65)), scaled(back, 0.75))),
      sky: this.up,
      lit: view.lit,
      glass: 0,
      map: 0,
      hasField: view.field !== null,
      range: view.scale ? [view.scale.low, view.scale.high] : [0, 1],
    };
    if (view.lit && this.level) this.ground.cast(shapes, uniforms);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clearStencil(0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    if (view.lit && this.level) {
      this.ground.draw(this.marks, uniforms.view, view.theme.grid, view.theme.shadow, eye[1]);
    }
    if (view.scale) gl.bindTexture(gl.TEXTURE_2D, this.maps[view.scale.map]);
    if (view.setup && !onCells) {
      this.#drawGlass(shapes, uniforms);
    } else {
      this.#drawShapes(shapes, uniforms);
      if (view.cut) this.#drawCap(shapes, view, uniforms);
    }
    if (view.lattice) this.#drawLattice(view, uniforms);
    if (view.setup) this.setupMarks.draw(this.marks, uniforms, height);
    return shapes.reduce((sum, shape) => sum + shape.triangleCount, 0);
  }

  /** Made when first asked for: many pages never show cells. */
  #cellShape(b) {
    this.cells[b] ??= new CellShape(this.gl, this.dataset, b);
    return this.cells[b];
  }

  #fill(shapes, view) {
    shapes.forEach((shape, b) => {
      shape.place(view.frame);
      if (view.field === null) {
        shape.paint(null, null);
      } else if (shape instanceof CellShape) {
        shape.paint(view.valuesOf('cell', b), view.valuesOf('node', b));
      } else {
        shape.paint(view.valuesOf('vertex', b), null);
      }
    });
  }

  #drawShapes(shapes, uniforms) {
    shapes.forEach((shape, b) => {
      this.surfaces.use({...uniforms, colour: bodyColour(b), flatNormals: shape.flatNormals});
      shape.draw(this.surfaces);
    });
  }

  /** Bodies that can be looked into: their far sides first, and nothing behind them is hidden. */
  #drawGlass(shapes, uniforms) {
    const {gl} = this;
    gl.depthMask(false);
    gl.enable(gl.CULL_FACE);
    for (const side of [gl.FRONT, gl.BACK]) {
      gl.cullFace(side);
      this.#drawShapes(shapes, {...uniforms, glass: 0.12, lit: true});
    }
    gl.disable(gl.CULL_FACE);
    gl.depthMask(true);
  }

  /**
   * Closes bodies where they are cut. A ray that enters the kept side inside a body leaves through
   * one face more than it enters: the stencil counts faces, and the cut face is drawn where the
   * count is not zero.
   */
  #drawCap(shapes, view, uniforms) {
    const {gl} = this;
    gl.enable(gl.STENCIL_TEST);
    gl.colorMask(false, false, false, false);
    gl.disable(gl.DEPTH_TEST);
    gl.stencilFunc(gl.ALWAYS, 0, 255);
    gl.stencilOpSeparate(gl.FRONT, gl.KEEP, gl.KEEP, gl.DECR_WRAP);
    gl.stencilOpSeparate(gl.BACK, gl.KEEP, gl.KEEP, gl.INCR_WRAP);
    this.#drawShapes(shapes, {...uniforms, lit: false});
    gl.colorMask(true, true, true, true);
    gl.enable(gl.DEPTH_TEST);
    gl.stencilFunc(gl.NOTEQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.KEEP);

    const onPlane = {...uniforms, ...METRES, cut: NO_CUT, flatNormals: true};
    const edges = {...onPlane, ink: [0, 0, 0, 0.28], round: false, fade: 0, nearer: 2e-6};
    this.sections.forEach((shape, b) => {
      if (!shape) return;
      const cellValues = view.field && view.valuesOf('cell', b);
      const nodeValues = view.field && view.valuesOf('node', b);
      shape.cut(view.frame, view.cut, nodeValues, cellValues);
      const hasField = view.field !== null && (cellValues !== null || nodeValues !== null);
      const colour = view.field ? CAP_COLOUR : bodyColour(b).map(c => 0.7 * c + 0.3);
      this.surfaces.use({...onPlane, hasField, colour});
      shape.draw(this.surfaces);
      if (view.lit) {
        this.marks.use(edges);
        shape.drawEdges(this.marks);
      }
    });
    this.#drawCapQuad(view, onPlane);
    gl.disable(gl.STENCIL_TEST);
  }

  /** A plain face behind the section, for what the cells leave open or the page does not have. */
  #drawCapQuad(view, onPlane) {
    const {gl, dataset} = this;
    const {normal, offset} = view.cut;
    const middle = dataset.low.map((l, a) => (l + dataset.high[a]) / 2);
    const along = scaled(normal, offset - dot(normal, middle));
    const axis = normal.findIndex(n => n !== 0), u = [0, 0, 0], v = [0, 0, 0];
    u[(axis + 1) % 3] = v[(axis + 2) % 3] = dataset.size;
    const corners = [[-1, -1], [1, -1], [-1, 1], [1, 1]].flatMap(([s, t]) =>
      middle.map((m, a) => m + along[a] + s * u[a] + t * v[a] - 1e-4 * dataset.size * normal[a]));
    this.capQuad.fill(Float32Array.from(corners));
    this.surfaces.use({...onPlane, hasField: false, colour: CAP_COLOUR});
    this.capQuad.feed(this.surfaces.attribute('position'), 3);
    gl.disableVertexAttribArray(this.surfaces.attribute('value'));
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  #drawLattice(view, uniforms) {
    if (!this.dataset.hasLattice) return;
    this.marks.use({...uniforms, ink: view.theme.lattice, round: false, fade: 0, nearer: 1e-5});
    this.skins.forEach((_, b) => {
      const shape = this.#cellShape(b);
      shape.place(view.frame);
      shape.drawEdges(this.marks);
    });
  }
}
