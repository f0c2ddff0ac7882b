// The numbers of the frame that is shown, out of the page's table of all frames.
import {element} from './elements.js';
import {digits, quantity} from './numbers.js';

const percent = value => `${digits(100 * value)}\u202f%`;
const count = value => value.toLocaleString('en');

/** What is worth a place beside the picture, in this order; what the table lacks is left out. */
const FACTS = [
  ['volume_error', 'volume error', percent],
  ['worst_zone_volume_error', 'worst zone', percent],
  ['worst_cell_volume_error', 'worst cell', percent],
  ['min_j', 'smallest J', value => digits(value)],
  ['inverted_cells', 'inverted cells', count],
  ['residual', 'residual', value => digits(value, 2)],
  ['newton_iterations', 'Newton iterations', count],
  ['krylov_iterations', 'Krylov iterations', count],
  ['elastic_energy', 'elastic energy', value => quantity(value, 'J')],
  ['kinetic_energy', 'kinetic energy', value => quantity(value, 'J')],
];

export function showFrameFacts(app) {
  const table = document.querySelector('.table table');
  if (!table) return;
  const names = [...table.tHead.rows[0].cells].map(cell => cell.textContent.replace(/ \[.*$/, ''));
  const frameColumn = names.indexOf('frame');
  if (frameColumn < 0) return;
  const rows = new Map([...table.tBodies[0].rows].map(row =>
    [Number(row.cells[frameColumn].textContent), row]));
  const list = element('dl', {class: 'frame-facts'});
  app.panel.legend.before(list);
  const show = () => {
    const row = rows.get(app.first.header.frames[app.state.frame]?.index);
    list.hidden = app.state.setup || !row;
    if (list.hidden) return;
    list.replaceChildren(...FACTS.flatMap(([name, label, format]) => {
      const value = parseFloat(row.cells[names.indexOf(name)]?.textContent);
      if (!Number.isFinite(value)) return [];
      return [element('div', {}, element('dt', {}, label), element('dd', {}, format(value)))];
    }));
  };
  app.root.addEventListener('shown', show);
  show();
}
