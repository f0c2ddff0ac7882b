// What is shown, in one object; and the same as text behind the # of the address, so that a view
// can be kept as a bookmark, sent to somebody, or asked for by a test.

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class State {
  #listeners = [];

  constructor(initial) {
    Object.assign(this, {
      setup: false,    // the set-up instead of the result
      frame: 0,        // place among the frames of the page
      field: '',       // name of a field; empty: plain bodies
      painted: '',     // name of a painted quantity, in the set-up
      cut: null,       // {axis: 'x', at: 0..1, flip}
      lattice: false,
      light: true,     // off: colours as on the scale
      playing: false,
      speed: 1,
      difference: false,  // between runs, on pages that compare
      only: false,     // nothing but the picture
      camera: null,    // {direction, target, distance}; null: the page decides
    }, initial);
  }

  /** Changes parts and tells all listeners which. */
  set(changes) {
    const changed = Object.keys(changes).filter(key => this[key] !== changes[key]);
    if (changed.length === 0) return;
    Object.assign(this, changes);
    for (const listener of this.#listeners) listener(changed);
  }

  /** To another of `count` frames, around the ends. */
  step(by, count) {
    if (count > 0) this.set({playing: false, frame: (this.frame + by + count) % count});
  }

  /** Cuts along another axis, or with an empty one not at all. */
  cutAlong(axis) {
    const {at, flip} = this.cut ?? {at: 0.5, flip: false};
    this.set({cut: axis ? {axis, at, flip} : null});
  }

  listen(listener) {
    this.#listeners.push(listener);
  }
}

const FLAGS = ['setup', 'lattice', 'playing', 'only', 'difference'];

/** The parts of a state that the address asks for; what cannot be understood is passed over. */
export function parseAddress(hash) {
  const query = new URLSearchParams(hash.replace(/^#/, ''));
  const state = {};
  for (const flag of FLAGS) if (query.has(flag)) state[flag] = query.get(flag) !== '0';
  if (query.has('light')) state.light = query.get('light') !== '0';
  if (query.has('field')) state.field = query.get('field');
  if (query.has('painted')) state.painted = query.get('painted');
  const number = (key, use) => {
    const value = parseFloat(query.get(key));
    if (Number.isFinite(value)) use(value);
  };
  number('frame', value => { state.frame = Math.max(0, Math.round(value)); });
  number('speed', value => { state.speed = Math.max(0.01, Math.min(16, value)); });
  const cut = /^(-?)([xyz]):([\d.eE+-]+)$/.exec(query.get('cut') ?? '');
  if (cut && Number.isFinite(+cut[3])) {
    state.cut = {axis: cut[2], at: Math.max(0, Math.min(1, +cut[3])), flip: cut[1] === '-'};
  }
  const camera = (query.get('camera') ?? '').split(',').map(Number);
  if ((camera.length === 3 || camera.length === 7) && camera.every(Number.isFinite)) {
    const [target, distance] = camera.length === 7 ? [camera.slice(3, 6), camera[6]] : [null, null];
    state.camera = {direction: camera.slice(0, 3), target, distance};
  }
  return state;
}

export function writeAddress(state, camera) {
  const parts = [`frame=${state.frame}`, `field=${encodeURIComponent(state.field)}`];
  if (state.painted) parts.push(`painted=${encodeURIComponent(state.painted)}`);
  for (const flag of FLAGS) if (state[flag] && flag !== 'playing') parts.push(flag + '=1');
  if (!state.light) parts.push('light=0');
  if (state.cut) {
    parts.push(`cut=${state.cut.flip ? '-' : ''}${state.cut.axis}:${state.cut.at.toFixed(3)}`);
  }
  if (state.speed !== 1) parts.push(`speed=${state.speed}`);
  if (camera && !camera.fitted) {
    const numbers = [...camera.direction, ...camera.target, camera.distance];
    parts.push('camera=' + numbers.map(x => +x.toPrecision(6)).join());
  }
  return '#' + parts.join('&');
}
