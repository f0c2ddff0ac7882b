// The set-up of a scene as marks: what holds bodies and where it goes, ties, fibres.
import {Buffer, METRES} from './graphics.js';
import {add, dot, length, normalised, rotated, scaled, subtract} from './vectors.js';

/** The colour of a kind of attachment, as the style of the page names it. */
export const kindColour = kind => `var(--kind-${kind.replace(' ', '-')})`;

/** The same for the graphics card, as the style has it now. */
function kindInk(style, kind, alpha) {
  const hex = style.getPropertyValue(`--kind-${kind.replace(' ', '-')}`).trim();
  return [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16) / 255).concat(alpha);
}

/** Where a point of an attachment is when its keys have come to their end, or at key k. */
function posed(point, middle, key) {
  const angle = length(key.rotate);
  const arm = subtract(point, middle);
  const turned = angle > 0 ? rotated(arm, scaled(key.rotate, 1 / angle), angle) : arm;
  return add(add(middle, key.translate), turned);
}

/** Points, middle and path of every attachment, in metres. */
export function placeAttachments(dataset) {
  return dataset.attachments.map(attachment => {
    const flat = dataset.metres(attachment.codes);
    const points = Array.from({length: attachment.points},
        (_, i) => [...flat.subarray(3 * i, 3 * i + 3)]);
    const middle = scaled(points.reduce(add, [0, 0, 0]), 1 / Math.max(points.length, 1));
    const path = attachment.keys.map(key => posed(middle, middle, key));
    const end = attachment.keys.at(-1);
    const moved = end ? points.map(p => posed(p, middle, end)) : [];
    return {...attachment, points, middle, path, moved};
  });
}

export class SetupMarks {
  constructor(gl, dataset) {
    this.gl = gl;
    this.dataset = dataset;
    this.groups = null;
  }

  /** Made when first shown. */
  #prepare() {
    const buffer = points => {
      const made = new Buffer(this.gl);
      made.fill(Float32Array.from(points.flat()));
      return made;
    };
    this.groups = placeAttachments(this.dataset).map(a => ({
      kind: a.kind,
      points: buffer(a.points),
      moved: buffer(a.moved),
      path: buffer([a.middle, ...a.path]),
    }));
    this.fibres = buffer(fibreLines(this.dataset));
  }

  draw(program, uniforms, height) {
    if (!this.groups) this.#prepare();
    const {gl} = this;
    const style = getComputedStyle(document.documentElement);
    const common = {...uniforms, ...METRES, fade: 0, nearer: 2e-5};
    const pointSize = Math.max(3, height / 130);
    const show = (buffer, mode, ink, extra) => {
      if (buffer.length === 0) return;
      program.use({...common, ink, round: mode === gl.POINTS, ...extra});
      buffer.feed(program.attribute('position'), 3);
      gl.drawArrays(mode, 0, buffer.length / 3);
    };
    show(this.fibres, gl.LINES, kindInk(style, 'fibre', 0.8));
    gl.disable(gl.DEPTH_TEST);
    for (const group of this.groups) {
      const ink = alpha => kindInk(style, group.kind, alpha);
      show(group.moved, gl.POINTS, ink(0.22), {pointSize: 0.8 * pointSize});
      show(group.path, gl.LINE_STRIP, ink(0.9));
      show(group.points, gl.POINTS, ink(0.95), {pointSize});
    }
    gl.enable(gl.DEPTH_TEST);
  }
}

/** A short line along the fibre in the middle of each cell that has one. */
function fibreLines(dataset) {
  const lines = [];
  for (const body of dataset.bodies) {
    if (!body.fibres) continue;
    const nodes = dataset.metres(body.restNodes);
    const node = i => [nodes[3 * i], nodes[3 * i + 1], nodes[3 * i + 2]];
    for (let c = 0; c < body.cells.length; c += 8) {
      const direction = [...body.fibres.subarray(3 * c / 8, 3 * c / 8 + 3)];
      if (dot(direction, direction) < 0.25) continue;
      const low = node(body.cells[c]), high = node(body.cells[c + 7]);
      const half = scaled(normalised(direction), 0.2 * length(subtract(high, low)));
      const middle = scaled(add(low, high), 0.5);
      lines.push(subtract(middle, half), add(middle, half));
    }
  }
  return lines;
}
