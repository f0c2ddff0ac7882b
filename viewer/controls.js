// The controls around the picture: they change the state, and show what it is.
import {gradientStops} from './colour.js';
import {choice, element, icon, select, slider, toggle} from './elements.js';
import {KEYS} from './gestures.js';
import {digits, niceTicks, quantity, quantityLike, spoken, unitFor} from './numbers.js';
import {kindColour} from './setup_marks.js';
import {SPEEDS} from './state.js';
import {length} from './vectors.js';

const PLAY = 'M4 2.5v11l9-5.5z', PAUSE = 'M4 2.5h3v11H4zM9 2.5h3v11H9z';
const BACK = 'M11 3v10L4.5 8z', FORTH = 'M5 3v10l6.5-5z';

/** Play, step, scrub, speed. */
export class Timeline {
  constructor(state, dataset) {
    this.dataset = dataset;
    this.playIcon = icon(PLAY);
    this.play = element('button', {type: 'button', class: 'play', title: 'Play or pause (Space)'}, this.playIcon);
    this.play.addEventListener('click', () => state.set({playing: !state.playing}));
    const stepper = (path, by, title) => {
      const button = element('button', {type: 'button', class: 'step', title, 'aria-label': title}, icon(path));
      button.addEventListener('click', () =>
        state.set({playing: false, frame: (state.frame + by + dataset.frameCount) % dataset.frameCount}));
      return button;
    };
    this.slider = slider('Frame', {min: 0, max: Math.max(0, dataset.frameCount - 1), step: 1, value: 0},
        frame => state.set({playing: false, frame}));
    this.speed = select('Speed', SPEEDS.map(s => [String(s), `${s}×`]), s => state.set({speed: Number(s)}));
    this.readout = element('output', {class: 'readout'});
    this.root = element('div', {class: 'timeline'}, this.play, stepper(BACK, -1, 'Frame before (,)'),
        stepper(FORTH, 1, 'Frame after (.)'), this.slider, this.readout, this.speed);
  }

  show(state) {
    this.root.hidden = state.setup || this.dataset.frameCount < 2;
    const path = state.playing ? PAUSE : PLAY;
    this.playIcon.firstChild.setAttribute('d', path);
    this.play.setAttribute('aria-label', state.playing ? 'Pause' : 'Play');
    this.slider.value = state.frame;
    this.speed.value = String(state.speed);
    const {index, time} = this.dataset.header.frames[state.frame] ?? {index: 0, time: 0};
    const unpacked = this.dataset.frames.length;
    this.readout.textContent = unpacked > state.frame ? `frame ${index} · ${time.toFixed(3)} s` :
      `unpacking ${Math.round(100 * unpacked / this.dataset.frameCount)} %`;
    this.slider.setAttribute('aria-valuetext', this.readout.textContent);
  }
}

/** The colours of the scale with numbers and unit. */
export class ColourBar {
  constructor() {
    this.title = element('div', {class: 'bar-title'});
    this.ramp = element('div', {class: 'bar-ramp'});
    this.ticks = element('div', {class: 'bar-ticks'});
    this.root = element('div', {class: 'bar'}, this.title, element('div', {class: 'bar-body'}, this.ramp, this.ticks));
  }

  show(field, scale, label) {
    this.root.hidden = !field;
    if (!field) return;
    const {factor, name} = unitFor(field.unit, Math.max(Math.abs(scale.low), Math.abs(scale.high)));
    this.title.replaceChildren(label, element('span', {class: 'unit'}, name));
    this.ramp.style.setProperty('--stops', gradientStops(scale.map));
    const [low, high] = [scale.low / factor, scale.high / factor];
    this.ticks.replaceChildren(...niceTicks(low, high, 5).map(({value, label: text}) => {
      const tick = element('span', {class: 'tick'}, text);
      tick.style.setProperty('--at', `${100 * (value - low) / (high - low)}%`);
      return tick;
    }));
  }
}

/** What is shown: result or set-up, colours, cut, lattice, light. */
export class Panel {
  constructor(state, dataset, comparable, home) {
    this.dataset = dataset;
    const hasSetup = dataset.attachments.length > 0 || dataset.bodies.some(b => b.fibres || b.painted.length > 0);
    const rows = [];
    const row = (label, ...parts) => {
      const made = element('div', {class: 'row'}, element('span', {class: 'row-label'}, label), ...parts);
      rows.push(made);
      return made;
    };
    this.view = choice('View', [['result', 'Result'], ['setup', 'Set-up', 'What holds the bodies, before anything moves (S)']],
        v => state.set({setup: v === 'setup', playing: false}));
    if (dataset.frameCount > 0 && hasSetup) row('View', this.view.group);
    this.field = select('Colour by', [['', 'body'], ...dataset.fields.map(f => [f.name, spoken(f.name)])],
        field => state.set({field}));
    this.fieldRow = row('Colour', this.field);
    this.difference = toggle('Difference', 'What other runs have more or less than the first', difference =>
      state.set({difference}));
    if (comparable) row('Compare', this.difference.button);
    const painted = [...new Set(dataset.bodies.flatMap(b => b.painted.map(p => p.name)))];
    this.painted = select('Painted quantity', [['', 'none'], ...painted.map(p => [p, spoken(p)])],
        name => state.set({painted: name}));
    this.paintedRow = row('Zones', this.painted);
    this.paintedRow.dataset.empty = String(painted.length === 0);
    this.cut = choice('Cut', [['', 'off'], ['x', 'x'], ['y', 'y'], ['z', 'z']],
        axis => state.set({cut: axis ? {axis, at: state.cut?.at ?? 0.5, flip: state.cut?.flip ?? false} : null}));
    this.flip = toggle('flip', 'Keep the other side', flip => state.set({cut: {...state.cut, flip}}));
    this.cutRow = row('Cut', this.cut.group, this.flip.button);
    this.cutSlider = slider('Place of the cut', {min: 0, max: 1, step: 0.002},
        at => state.set({cut: {...state.cut, at}}));
    this.cutReadout = element('output', {class: 'readout'});
    this.cutPlace = row('', this.cutSlider, this.cutReadout);
    this.lattice = toggle('Lattice', 'Edges of the cells (L)', lattice => state.set({lattice}));
    this.light = toggle('Light', 'Off: colours exactly as on the scale', light => state.set({light}));
    const whole = element('button', {type: 'button', class: 'toggle', title: 'The whole picture (Home)'}, 'Whole');
    whole.addEventListener('click', home);
    row('Show', ...(dataset.hasLattice ? [this.lattice.button] : []), this.light.button, whole);
    this.legend = element('div', {class: 'legend'}, ...attachmentLegend(dataset));
    const keys = element('details', {class: 'keys'}, element('summary', {}, 'Keys and gestures'),
        element('p', {}, 'Drag to turn, with Shift or two fingers to move, wheel or pinch for nearer and farther; ' +
          'click the picture first, then:'),
        element('dl', {}, ...KEYS.map(([key, text]) =>
          element('div', {}, element('dt', {}, key), element('dd', {}, text)))));
    this.root = element('div', {class: 'panel'}, ...rows, this.legend, keys);
  }

  show(state) {
    this.view.show(state.setup ? 'setup' : 'result');
    this.field.value = state.field;
    this.fieldRow.hidden = state.setup;
    this.painted.value = state.painted;
    this.paintedRow.hidden = !state.setup || this.paintedRow.dataset.empty === 'true';
    this.cut.show(state.cut?.axis ?? '');
    this.flip.show(state.cut?.flip ?? false);
    this.flip.button.hidden = this.cutPlace.hidden = !state.cut;
    if (state.cut) {
      const axis = 'xyz'.indexOf(state.cut.axis);
      const {low, high} = this.dataset;
      this.cutSlider.value = state.cut.at;
      this.cutReadout.textContent = `${state.cut.axis} = ` +
        quantityLike(low[axis] + state.cut.at * (high[axis] - low[axis]), 'm', high[axis] - low[axis]);
    }
    this.difference.show(state.difference);
    this.lattice.show(state.lattice);
    this.light.show(state.light);
    this.legend.hidden = !state.setup;
  }
}

/** Every attachment with what it does, in words. */
function attachmentLegend(dataset) {
  const lines = dataset.attachments.map(a => {
    const swatch = element('i', {class: 'swatch'});
    swatch.style.background = kindColour(a.kind);
    return element('div', {class: 'entry'}, swatch, element('b', {}, a.name),
        element('span', {}, `${a.kind}, ${a.points.toLocaleString('en')} points${motion(a.keys)}`));
  });
  if (dataset.bodies.some(b => b.fibres)) {
    const swatch = element('i', {class: 'swatch'});
    swatch.style.background = kindColour('fibre');
    lines.push(element('div', {class: 'entry'}, swatch, element('b', {}, 'fibres'),
        element('span', {}, 'one line per cell')));
  }
  return lines;
}

/** As a person would write it: 36, not 36.0. */
const plain = value => String(Number(value.toPrecision(4)));

function motion(keys) {
  const far = Math.max(0, ...keys.map(k => length(k.translate)));
  const turn = Math.max(0, ...keys.map(k => length(k.rotate))) * 180 / Math.PI;
  const parts = [];
  if (far > 0) parts.push(`moves ${quantity(far, 'm')}`);
  if (turn > 0) parts.push(`turns ${plain(turn)}°`);
  if (parts.length === 0) return '; at rest';
  return `; ${parts.join(', ')} by frame ${plain(keys.at(-1).frame)}`;
}
