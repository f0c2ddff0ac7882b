// The controls beside the picture: they change the state, and show what it is.
import {choice, element, select, slider, toggle} from './elements.js';
import {KEYS} from './gestures.js';
import {quantity, quantityLike, spoken} from './numbers.js';
import {kindColour} from './setup_marks.js';
import {length} from './vectors.js';

export class Panel {
  /** `comparable`: there are runs to take a difference to; `home` shows the whole picture. */
  constructor(state, dataset, comparable, home) {
    this.dataset = dataset;
    this.legend = element('div', {class: 'legend'}, ...attachmentLegend(dataset));
    this.root = element('div', {class: 'panel'}, ...this.#viewRows(state),
        ...(comparable ? [this.#differenceRow(state)] : []), ...this.#cutRows(state),
        this.#showRow(state, home), this.legend, keyList());
  }

  #viewRows(state) {
    const {dataset} = this;
    this.view = choice('View', [['result', 'Result', 'What was computed (S)'],
      ['setup', 'Set-up', 'What holds the bodies, before anything moves (S)']],
    view => state.set({setup: view === 'setup', playing: false}));
    this.field = select('Colour by', [['', 'body'], ...named(dataset.fields.map(f => f.name))],
        field => state.set({field}));
    const painted = [...new Set(dataset.bodies.flatMap(b => b.painted.map(p => p.name)))];
    this.painted = select('Painted quantity', [['', 'none'], ...named(painted)],
        name => state.set({painted: name}));
    this.fieldRow = row('Colour', this.field);
    this.paintedRow = painted.length > 0 ? row('Zones', this.painted) : null;
    const hasSetup = painted.length > 0 || dataset.attachments.length > 0 ||
      dataset.bodies.some(b => b.fibres);
    const hasBoth = hasSetup && dataset.frameCount > 0;
    return [hasBoth ? row('View', this.view.group) : null, this.fieldRow, this.paintedRow]
        .filter(Boolean);
  }

  #differenceRow(state) {
    this.difference = toggle('Difference', 'What other runs have more or less than the first',
        difference => state.set({difference}));
    return row('Compare', this.difference.button);
  }

  #cutRows(state) {
    this.cut = choice('Cut', [['', 'off'], ['x', 'x'], ['y', 'y'], ['z', 'z']],
        axis => state.cutAlong(axis));
    this.flip = toggle('flip', 'Keep the other side',
        flip => state.set({cut: {...state.cut, flip}}));
    this.cutSlider = slider('Place of the cut', {min: 0, max: 1, step: 0.002},
        at => state.set({cut: {...state.cut, at}}));
    this.cutReadout = element('output', {class: 'readout'});
    this.cutPlace = row('', this.cutSlider, this.cutReadout);
    return [row('Cut', this.cut.group, this.flip.button), this.cutPlace];
  }

  #showRow(state, home) {
    this.lattice = toggle('Lattice', 'Edges of the cells (L)', lattice => state.set({lattice}));
    this.light = toggle('Light', 'Off: colours exactly as on the scale',
        light => state.set({light}));
    const whole = element('button', {type: 'button', title: 'The whole picture (Home)'}, 'Whole');
    whole.addEventListener('click', home);
    const lattice = this.dataset.hasLattice ? [this.lattice.button] : [];
    return row('Show', ...lattice, this.light.button, whole);
  }

  show(state) {
    this.view.show(state.setup ? 'setup' : 'result');
    this.field.value = state.field;
    this.fieldRow.hidden = state.setup;
    this.painted.value = state.painted;
    if (this.paintedRow) this.paintedRow.hidden = !state.setup;
    this.difference?.show(state.difference);
    this.cut.show(state.cut?.axis ?? '');
    this.flip.show(state.cut?.flip ?? false);
    this.flip.button.hidden = this.cutPlace.hidden = !state.cut;
    if (state.cut) this.#showCutPlace(state.cut);
    this.lattice.show(state.lattice);
    this.light.show(state.light);
    this.legend.hidden = !state.setup;
  }

  #showCutPlace({axis, at}) {
    const a = 'xyz'.indexOf(axis), low = this.dataset.low[a], size = this.dataset.high[a] - low;
    this.cutSlider.value = at;
    this.cutReadout.textContent = `${axis} = ${quantityLike(low + at * size, 'm', size / 10)}`;
  }
}

function row(label, ...parts) {
  return element('div', {class: 'row'}, element('span', {class: 'row-label'}, label), ...parts);
}

const named = names => names.map(name => [name, spoken(name)]);

function keyList() {
  const gestures = 'Drag to turn, with Shift or two fingers to move, wheel or pinch for nearer ' +
    'and farther; click the picture first, then:';
  return element('details', {class: 'keys'}, element('summary', {}, 'Keys and gestures'),
      element('p', {}, gestures),
      element('dl', {}, ...KEYS.map(([key, text]) =>
        element('div', {}, element('dt', {}, key), element('dd', {}, text)))));
}

/** Every attachment with what it does, in words. */
function attachmentLegend(dataset) {
  const entry = (kind, name, text) => {
    const swatch = element('i', {class: 'swatch'});
    swatch.style.background = kindColour(kind);
    return element('div', {class: 'entry'}, swatch, element('b', {}, name),
        element('span', {}, text));
  };
  const entries = dataset.attachments.map(a =>
    entry(a.kind, a.name, `${a.kind}, ${a.points.toLocaleString('en')} points; ${motion(a.keys)}`));
  if (dataset.bodies.some(b => b.fibres)) {
    entries.push(entry('fibre', 'fibres', 'a line per cell'));
  }
  return entries;
}

/** As a person would write it: 36, not 36.0. */
const plain = value => String(Number(value.toPrecision(4)));

function motion(keys) {
  const far = Math.max(0, ...keys.map(k => length(k.translate)));
  const turn = Math.max(0, ...keys.map(k => length(k.rotate))) * 180 / Math.PI;
  const parts = [];
  if (far > 0) parts.push(`moves ${quantity(far, 'm')}`);
  if (turn > 0) parts.push(`turns ${plain(turn)}°`);
  if (parts.length === 0) return 'at rest';
  return `${parts.join(', ')} by frame ${plain(keys.at(-1).frame)}`;
}
