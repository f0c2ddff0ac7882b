// A run as the page carries it: bodies, fields and frames, unpacked one frame after another.
import {BlockReader, NO_VALUE, bytesFromBase64, inflate} from './codec.js';

/** Stands for "no value" in arrays for the graphics card, which is unsure about NaN. */
export const NONE = 3e38;

export class Dataset {
  /**
   * `header` is the page's JSON, `blocks` its base64 texts: what no frame changes, then the frames.
   */
  constructor(header, blocks) {
    this.header = header;
    this.blocks = blocks;
    this.low = header.bounds.low;
    this.high = header.bounds.high;
    this.outline = header.outline;
    this.up = header.up;
    this.bodies = header.bodies.map(body => ({...body}));
    this.fields = mergeByName(header.fields);
    this.attachments = header.attachments.map(attachment => ({...attachment}));
    this.frameCount = header.frames.length;
    this.frames = [];
  }

  get size() {
    return Math.hypot(...this.low.map((l, a) => this.high[a] - l));
  }

  get hasLattice() {
    return this.bodies.some(body => body.cells.length > 0);
  }

  field(name) {
    return this.fields.find(field => field.name === name) ?? null;
  }

  /** Frames per second of the scene. */
  get frameRate() {
    const times = this.header.frames;
    const span = times.length > 1 ? times.at(-1).time - times[0].time : 0;
    return span > 0 ? (times.length - 1) / span : 24;
  }

  /** Unpacks everything; `onFrame` is called after the constant part and after each frame. */
  async load(onFrame) {
    this.#readConstant(new BlockReader(await inflate(bytesFromBase64(this.blocks[0]))));
    onFrame(0);
    for (let f = 0; f < this.frameCount; ++f) {
      const block = new BlockReader(await inflate(bytesFromBase64(this.blocks[f + 1])));
      this.frames.push(this.#readFrame(block, this.header.frames[f]));
      this.blocks[f + 1] = null;
      onFrame(f + 1);
    }
  }

  /** Where code `c` of an axis lies, m. */
  coordinate(code, axis) {
    return this.low[axis] + code / this.header.positionSteps * (this.high[axis] - this.low[axis]);
  }

  /** Position codes as metres; points without one become NaN. */
  metres(codes) {
    const out = new Float32Array(codes.length);
    for (let i = 0; i < codes.length; ++i) {
      out[i] = codes[i] === NO_VALUE ? NaN : this.coordinate(codes[i], i % 3);
    }
    return out;
  }

  /**
   * The values of a field on a support ('vertex', 'cell' or 'node') of a body, or null where it has
   * none.
   */
  values(field, support, body, frame) {
    if (field.derived) return support === 'cell' ? null : this.#displacement(support, body, frame);
    const channel = field[support];
    const codes = channel && frame.values.get(channel)?.get(body);
    if (!codes) return null;
    return decodeField(codes, channel, this.header.fieldSteps);
  }

  /** A painted quantity in the shape of a field, or null: only cells have it. */
  paintedField(name) {
    return this.paintedFields.get(name) ?? null;
  }

  /** A quantity painted on the cells of a body, or null. */
  painted(name, body) {
    const painted = this.bodies[body].painted.find(p => p.name === name);
    return painted ? decodeField(painted.codes, painted, this.header.fieldSteps) : null;
  }

  #displacement(support, body, frame) {
    const now = support === 'vertex' ? frame.vertices[body] : frame.nodes[body];
    const {restVertices, restNodes} = this.bodies[body];
    const rest = support === 'vertex' ? restVertices : restNodes;
    const step = this.low.map((l, a) => (this.high[a] - l) / this.header.positionSteps);
    const out = new Float32Array(now.length / 3);
    for (let i = 0; i < out.length; ++i) {
      const k = 3 * i;
      out[i] = now[k] === NO_VALUE ? NONE : Math.hypot((now[k] - rest[k]) * step[0],
          (now[k + 1] - rest[k + 1]) * step[1], (now[k + 2] - rest[k + 2]) * step[2]);
    }
    return out;
  }

  #readConstant(block) {
    for (const body of this.bodies) {
      body.restVertices = block.codes(3 * body.vertices, 3);
      body.triangles = block.indices(3 * body.triangles);
      body.restNodes = body.nodes ? block.codes(3 * body.nodes, 3) : new Uint16Array(0);
      body.cells = block.indices(body.nodes ? 8 * body.cells : 0);
      const cellCount = body.cells.length / 8;
      // Stored like positions, in a box from -1 to 1.
      body.fibres = body.fibres ? unitVectors(block.codes(3 * cellCount, 3), this.header) : null;
      body.painted = body.painted.map(p => ({...p, codes: block.codes(cellCount, 1)}));
    }
    for (const attachment of this.attachments) {
      attachment.codes = block.codes(3 * attachment.points, 3);
    }
    block.expectEnd();
    // The shapes before anything happened, as a frame without fields.
    this.rest = {
      index: -1,
      time: 0,
      vertices: this.bodies.map(body => body.restVertices),
      nodes: this.bodies.map(body => body.restNodes),
      values: new Map(),
    };
    this.paintedFields = mergePainted(this.bodies);
  }

  #readFrame(block, {index, time}) {
    const [before, twoBefore] = [this.frames.at(-1), this.frames.at(-2)];
    const positions = (count, kind, b) => before ?
      block.codesAfter(3 * count, before[kind][b], twoBefore?.[kind][b]) :
      block.codes(3 * count, 3);
    const frame = {index, time, vertices: [], nodes: [], values: new Map()};
    this.bodies.forEach((body, b) => {
      frame.vertices.push(positions(body.vertices, 'vertices', b));
      frame.nodes.push(body.nodes ? positions(body.nodes, 'nodes', b) : new Uint16Array(0));
    });
    for (const channel of this.header.fields) {
      if (channel.derived) continue;
      const perBody = new Map();
      for (const b of channel.bodies) {
        const count = channel.support === 'vertex' ? this.bodies[b].vertices :
          channel.support === 'node' ? this.bodies[b].nodes : this.bodies[b].cells.length / 8;
        perBody.set(b, before ? block.codesAfter(count, before.values.get(channel).get(b)) :
          block.codes(count, 1));
      }
      frame.values.set(channel, perBody);
    }
    block.expectEnd();
    return frame;
  }
}

/** One entry per name, with its channels by what they have values on. */
function mergeByName(channels) {
  const merged = new Map();
  for (const channel of channels) {
    const field = merged.get(channel.name) ??
      {name: channel.name, unit: channel.unit, derived: channel.derived};
    field[channel.support] = channel;
    merged.set(channel.name, field);
  }
  for (const field of merged.values()) {
    // The colours are those of the surface; what lies inside is shown on the same scale.
    const shown = field.vertex ?? field.cell ?? field.node;
    field.low = shown.low;
    field.high = shown.high;
  }
  return [...merged.values()];
}

/** The painted quantities of all bodies by their names. */
function mergePainted(bodies) {
  const merged = new Map();
  for (const {name, low, high} of bodies.flatMap(body => body.painted)) {
    const known = merged.get(name) ?? {name, unit: '', low, high};
    known.low = Math.min(known.low, low);
    known.high = Math.max(known.high, high);
    known.cell = {low: known.low, high: known.high};
    merged.set(name, known);
  }
  return merged;
}

function decodeField(codes, {low, high}, steps) {
  const step = (high - low) / steps;
  return Float32Array.from(codes, code => code === NO_VALUE ? NONE : low + code * step);
}

function unitVectors(codes, {positionSteps}) {
  return Float32Array.from(codes, code => 2 * code / positionSteps - 1);
}
