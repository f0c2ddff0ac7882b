// What a run has other than the first one: field by field on the same vertices.
import {NONE} from './dataset.js';
import {spoken} from './numbers.js';

/** Frames of both runs with the same number. */
function partner(dataset, frame) {
  return dataset.frames.find(f => f.index === frame.index) ?? null;
}

/** Whether vertices and cells of both stand for the same places. */
export function isComparable(first, other) {
  return first.bodies.length === other.bodies.length && first.bodies.every((body, b) =>
    body.vertices === other.bodies[b].vertices && body.nodes === other.bodies[b].nodes);
}

export class Difference {
  constructor(first, other) {
    this.first = first;
    this.other = other;
    this.fields = new Map();
  }

  /**
   * The difference of a field, as a field with a range over all frames; without one, how far apart
   * the vertices are.
   */
  field(name) {
    const whole = this.other.frames.length === this.other.frameCount &&
      this.first.frames.length === this.first.frameCount;
    if (!this.fields.has(name) || !this.fields.get(name).whole) {
      const source = name && this.other.field(name);
      const field = {
        name: source ? `${spoken(name)}, difference` : 'distance', unit: source ? source.unit : 'm',
        source, whole, vertex: source ? source.vertex : {}, cell: source?.cell};
      this.fields.set(name, Object.assign(field, this.#range(field)));
    }
    return this.fields.get(name);
  }

  /** Per vertex, cell or node of a body; null where one of the runs has no value. */
  values(field, support, body, frame) {
    const before = partner(this.first, frame);
    if (!before) return null;
    if (!field.source) return support === 'vertex' ? this.#distance(body, frame, before) : null;
    const now = this.other.values(field.source, support, body, frame);
    const then = this.first.values(this.first.field(field.source.name), support, body, before);
    if (!now || !then) return null;
    return now.map((value, i) => value === NONE || then[i] === NONE ? NONE : value - then[i]);
  }

  #distance(body, frame, before) {
    const a = this.other.metres(frame.vertices[body]), b = this.first.metres(before.vertices[body]);
    const out = new Float32Array(a.length / 3);
    for (let i = 0; i < out.length; ++i) {
      const k = 3 * i;
      const d = Math.hypot(a[k] - b[k], a[k + 1] - b[k + 1], a[k + 2] - b[k + 2]);
      out[i] = Number.isFinite(d) ? d : NONE;
    }
    return out;
  }

  #range(field) {
    let low = 0, high = 0;
    for (const frame of this.other.frames) {
      this.other.bodies.forEach((_, b) => {
        for (const value of this.values(field, 'vertex', b, frame) ?? []) {
          if (value === NONE) continue;
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      });
    }
    return {low, high};
  }
}
