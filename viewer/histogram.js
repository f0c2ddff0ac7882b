// The histogram of J, of the frame that is shown. The page has one of the last frame to begin with.
import {NONE} from './dataset.js';
import {svgElement} from './elements.js';
import {niceTicks} from './numbers.js';

const BINS = 60;
const [WIDTH, HEIGHT] = [560, 320];
const [LEFT, RIGHT, TOP, BOTTOM] = [62, 18, 42, 48];

export function linkHistogram(root, app) {
  const figure = root.querySelector('[data-histogram]');
  const field = figure && app.first.field(figure.dataset.histogram);
  if (!field) return;
  const support = app.first.hasLattice && field.cell ? 'cell' : 'vertex';
  if (!field[support]) return;
  const {low, high} = field[support];
  const show = () => {
    const frame = app.first.frames[app.state.frame];
    if (!frame || !(high > low)) return;
    const counts = new Array(BINS).fill(0);
    app.first.bodies.forEach((_, b) => {
      for (const value of app.first.values(field, support, b, frame) ?? []) {
        if (value === NONE) continue;
        ++counts[Math.min(BINS - 1, Math.floor((value - low) / (high - low) * BINS))];
      }
    });
    figure.replaceChildren(drawHistogram(counts, low, high, `Histogram of J, frame ${frame.index}`,
        support === 'cell' ? 'cells' : 'vertices'));
  };
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      show();
    });
  };
  app.root.addEventListener('shown', later);
  later();
}

/** Counts on a logarithmic axis: a few bad cells among thousands must show. */
function drawHistogram(counts, low, high, title, what) {
  const svg = svgElement('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img',
    'aria-label': title, fill: 'none', 'font-family': 'system-ui,sans-serif', 'font-size': 12});
  const line = (d, opacity) => svg.append(svgElement('path',
      {d, stroke: 'currentColor', 'stroke-opacity': opacity}));
  const text = (x, y, words, anchor, more = {}) => {
    const made = svgElement('text', {x, y, 'text-anchor': anchor, fill: 'currentColor', ...more});
    made.textContent = words;
    svg.append(made);
  };
  const soft = {'fill-opacity': 0.7};
  const most = Math.max(1, ...counts), decades = Math.max(1, Math.ceil(Math.log10(most)));
  const [floor, ceiling] = [HEIGHT - BOTTOM, TOP];
  const across = value => LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT);
  const up = count => floor - (Math.log10(count) + 0.3) / (decades + 0.3) * (floor - ceiling);
  text(14, 22, title, 'start', {'font-weight': 600, 'font-size': 14});
  for (let d = 0; d <= decades; ++d) {
    const y = up(10 ** d);
    line(`M${LEFT} ${y}H${WIDTH - RIGHT}`, 0.14);
    text(LEFT - 7, y + 4, String(10 ** d), 'end', soft);
  }
  for (const {value, label} of niceTicks(low, high, 6)) {
    text(across(value), floor + 17, label, 'middle', soft);
  }
  const width = (WIDTH - LEFT - RIGHT) / counts.length;
  const bars = svgElement('g', {style: 'fill:var(--series-1, #0072b2)'});
  counts.forEach((count, i) => {
    if (count === 0) return;
    const top = up(count);
    const x = LEFT + i * width + 0.5;
    bars.append(svgElement('rect', {x, y: top, width: width - 1, height: floor - top}));
  });
  svg.append(bars);
  line(`M${LEFT} ${ceiling}V${floor}H${WIDTH - RIGHT}`, 0.6);
  text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, 'J, volume now / at rest', 'middle');
  const middle = (floor + ceiling) / 2;
  text(15, middle, what, 'middle', {transform: `rotate(-90 15 ${middle})`});
  return svg;
}
