// Puts one or several runs on the page: stages that share state, camera and colour scale.
import {Camera} from './camera.js';
import {chooseScale} from './colour.js';
import {ColourBar} from './colour_bar.js';
import {Difference, isComparable} from './difference.js';
import {element} from './elements.js';
import {followGestures} from './gestures.js';
import {Panel} from './panel.js';
import {Player} from './player.js';
import {Stage} from './stage.js';
import {State, parseAddress, writeAddress} from './state.js';
import {Timeline} from './timeline.js';
import {normalised} from './vectors.js';

const AXES = {x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1]};

export class App {
  /** `runs`: [{title, dataset}], the first is the one that the controls speak of. */
  constructor(runs) {
    this.titles = runs.map(run => run.title);
    this.datasets = runs.map(run => run.dataset);
    this.first = this.datasets[0];
    this.state = new State({field: this.#firstField(), setup: this.first.frameCount === 0,
      frame: Math.max(0, this.first.frameCount - 1), ...parseAddress(location.hash)});
    this.camera = new Camera(this.datasets.flatMap(d => d.outline), this.#bound('low', Math.min),
        this.#bound('high', Math.max), this.first.up);
    this.stages = runs.map(({title, dataset}, i) => new Stage(dataset, this.camera,
        `${title}, to be turned with the arrow keys`, () => this.#look(i)));
    this.loaded = 0;
    this.shown = new Set();  // numbers of the frames that were drawn
    this.looks = [];         // per run, what it showed last
  }

  get works() {
    return this.stages.every(stage => stage.works);
  }

  /** Builds the page's part and starts unpacking. */
  async start(root) {
    this.root = root;
    const {state, first} = this;
    // The controls can be made once it is known what there is to show.
    await Promise.all(this.datasets.map((dataset, i) => new Promise((ready, failed) => {
      dataset.load(count => {
        if (count === 0) ready();
        else this.#frameLoaded(i, count);
      }).catch(error => {
        failed(error);
        this.fail(error);
      });
    })));
    this.#clampState();
    this.timeline = new Timeline(state, first);
    this.bars = this.stages.map(() => new ColourBar());
    this.differences = this.datasets.map((dataset, i) =>
      i > 0 && isComparable(first, dataset) ? new Difference(first, dataset) : null);
    this.panel = new Panel(state, first, this.differences.some(Boolean), () => this.#home());
    this.#build();
    for (const stage of this.stages) {
      stage.prepare();
      stage.root.addEventListener('drawn', () => this.#publish());
      followGestures(stage.canvas, this.camera, () => this.#moved(), this.#commands());
    }
    this.#placeCamera();
    state.listen(changed => this.#changed(changed));
    new Player(state, first);
    addEventListener('resize', () => this.#resized());
    addEventListener('hashchange', () => this.#addressChanged());
    this.#changed([]);
  }

  #build() {
    const boxes = this.stages.map((stage, i) => {
      stage.root.append(this.bars[i].root);
      const caption = this.stages.length > 1 ? [element('figcaption', {}, this.titles[i])] : [];
      return element('figure', {class: 'stage-box'}, ...caption, stage.root);
    });
    this.stageGrid = element('div', {class: 'stage-grid'}, ...boxes);
    const column = element('div', {class: 'view-column'}, this.stageGrid, this.timeline.root);
    this.root.append(column, this.panel.root);
    this.root.classList.toggle('only', this.state.only);
    document.documentElement.classList.toggle('only', this.state.only);
    this.root.hidden = false;
  }

  /** What a stage shows now, or null while its frame is not there. */
  #look(run) {
    const {state} = this;
    const frame = this.#frameOf(run);
    if (!frame) return null;
    const {field, read} = this.#colouring(run, frame);
    // The same objects as long as they mean the same: shapes are then not made again.
    const last = this.looks[run];
    const kept = last?.frame === frame && last.field === field;
    const values = kept ? last.values : new Map();
    const cut = last?.cut === state.cut ? last.plane : this.#plane();
    this.looks[run] = {frame, field, values, cut: state.cut, plane: cut};
    return {
      frame, field, cut,
      setup: state.setup,
      scale: field && this.#scaleOf(field),
      lattice: state.lattice,
      lit: state.light,
      playing: state.playing,
      valuesOf: (support, body) => {
        const key = `${support} ${body}`;
        if (!values.has(key)) values.set(key, read(support, body));
        return values.get(key);
      },
    };
  }

  /** The field that a stage is coloured by, or null, and how its values are read. */
  #colouring(run, frame) {
    const {state} = this;
    const dataset = this.datasets[run];
    if (state.setup) {
      const read = (support, body) =>
        support === 'cell' ? dataset.painted(state.painted, body) : null;
      return {field: dataset.paintedField(state.painted), read};
    }
    const difference = state.difference ? this.differences[run] : null;
    const source = difference ?? dataset;
    const field = source.field(state.field);
    return {field, read: (support, body) => source.values(field, support, body, frame)};
  }

  /** Other runs show the frame with the same number, or the last one before it. */
  #frameOf(run) {
    const {state, first} = this;
    const dataset = this.datasets[run];
    if (state.setup) return dataset.rest;
    // Until it is unpacked, the first one is better than nothing.
    if (dataset === first) return first.frames[state.frame] ?? first.frames[0];
    const wanted = first.header.frames[state.frame]?.index;
    return dataset.frames.findLast(frame => frame.index <= wanted) ?? dataset.frames[0];
  }

  /** The same scale for all runs and all frames; differences have their own. */
  #scaleOf(field) {
    if (this.state.setup || field.source !== undefined) return chooseScale(field);
    const all = this.datasets.map(d => d.field(field.name)).filter(Boolean);
    return chooseScale({name: field.name, low: Math.min(...all.map(f => f.low)),
      high: Math.max(...all.map(f => f.high))});
  }

  #plane() {
    const {cut} = this.state;
    if (!cut) return null;
    const axis = 'xyz'.indexOf(cut.axis), sign = cut.flip ? -1 : 1;
    const [low, high] = [this.first.low[axis], this.first.high[axis]];
    const offset = sign * (low + cut.at * (high - low));
    return {normal: AXES[cut.axis].map(n => n * sign), offset};
  }

  #changed(changed) {
    const {state} = this;
    this.timeline.show(state);
    this.panel.show(state);
    this.bars.forEach((bar, run) => {
      const view = this.#look(run);
      bar.show(view?.field ?? null, view?.scale);
    });
    if (changed.includes('setup') || changed.includes('field')) this.#refitIfFitted();
    for (const stage of this.stages) stage.refresh();
    this.root.dispatchEvent(new CustomEvent('shown', {detail: state}));
    this.#remember();
  }

  #moved() {
    for (const stage of this.stages) stage.refresh();
    this.#remember();
  }

  /** The address follows, but not at every step of a drag. */
  #remember() {
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => {
      if (this.state.playing) return;
      history.replaceState(null, '', writeAddress(this.state, this.camera));
    }, 300);
  }

  #addressChanged() {
    const asked = parseAddress(location.hash);
    this.state.set(asked);
    this.#clampState();
    this.#placeCamera();
    this.#moved();
  }

  #clampState() {
    const {state, first} = this;
    state.frame = Math.max(0, Math.min(state.frame, first.frameCount - 1));
    if (state.field && !first.field(state.field)) state.field = '';
    if (first.frameCount === 0) state.setup = true;
  }

  #placeCamera() {
    const asked = this.state.camera;
    if (asked?.direction) this.camera.direction = normalised(asked.direction);
    this.camera.fit(this.stages[0].aspect, this.#share());
    if (asked?.target) Object.assign(this.camera, {target: asked.target, distance: asked.distance});
    this.camera.fitted = !asked;
  }

  /** The part of the picture that the colour scale covers is left free, unless it lies below. */
  #share() {
    const width = Math.max(1, this.stages[0].root.clientWidth);
    const widest = Math.max(...this.bars.map(bar => bar.body.offsetWidth));
    const lies = widest > 0.5 * width;
    return {left: 0, right: widest === 0 || lies ? 0 : Math.min(0.3, (widest + 16) / width)};
  }

  #refitIfFitted() {
    if (this.camera.fitted) this.camera.fit(this.stages[0].aspect, this.#share());
  }

  #resized() {
    this.#refitIfFitted();
    for (const stage of this.stages) stage.refresh();
  }

  #home() {
    this.camera.reset(this.stages[0].aspect, this.#share());
    this.#moved();
  }

  #commands() {
    const {state, first} = this;
    return {
      home: () => this.#home(),
      play: () => {
        if (first.frameCount > 1 && !state.setup) state.set({playing: !state.playing});
      },
      back: () => state.step(-1, first.frameCount),
      forth: () => state.step(1, first.frameCount),
      field: () => {
        const names = ['', ...first.fields.map(f => f.name)];
        state.set({field: names[(names.indexOf(state.field) + 1) % names.length]});
      },
      lattice: () => state.set({lattice: !state.lattice}),
      cut: () => state.cutAlong({'': 'x', x: 'y', y: 'z', z: ''}[state.cut?.axis ?? '']),
      setup: () => { if (first.frameCount) state.set({setup: !state.setup, playing: false}); },
    };
  }

  #frameLoaded(run, count) {
    this.loaded = Math.min(...this.datasets.map(d => d.frames.length));
    const whole = count === this.datasets[run].frameCount;
    if (!this.panel) return;
    if (count === 1 || count - 1 === this.state.frame || whole) this.#changed([]);
    else if (run === 0) this.timeline.show(this.state);
  }

  #firstField() {
    const names = this.first.fields.map(f => f.name);
    return ['von_mises', 'displacement', ...names].find(n => names.includes(n)) ?? '';
  }

  #bound(end, choose) {
    return [0, 1, 2].map(a => choose(...this.datasets.map(d => d[end][a])));
  }

  /** What is shown, for whoever reads the page without eyes: tests, and people who ask for help. */
  #publish() {
    const {state, camera} = this;
    this.shown.add(this.stages[0].view.frame.index);
    const whole = this.datasets.every(d => d.frames.length === d.frameCount);
    const view = this.stages[0].view;
    document.documentElement.dataset.viewer = whole ? 'ready' : 'loading';
    this.root.dataset.state = JSON.stringify({
      frame: view.frame.index, field: state.field, setup: state.setup, lattice: state.lattice,
      cut: state.cut, playing: state.playing, plane: view.cut, scale: view.scale,
      loaded: this.loaded,
      frames: this.first.frameCount, triangles: this.stages.map(s => s.drawn.triangles),
      problem: this.stages.map(s => s.drawn.problem), framesSeen: this.shown.size,
      requests: performance.getEntriesByType('resource').length,
      eye: camera.eye, direction: camera.direction});
  }

  fail(error) {
    document.documentElement.dataset.viewer = 'failed';
    document.documentElement.dataset.error = String(error?.message ?? error);
  }
}
