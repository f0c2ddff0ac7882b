// The colours of the scale, with numbers and unit.
import {gradientStops} from './colour.js';
import {element} from './elements.js';
import {niceTicks, spoken, unitFor} from './numbers.js';

export class ColourBar {
  constructor() {
    this.title = element('div', {class: 'bar-title'});
    this.ramp = element('div', {class: 'bar-ramp'});
    this.ticks = element('div', {class: 'bar-ticks'});
    this.body = element('div', {class: 'bar-body'}, this.ramp, this.ticks);
    this.root = element('div', {class: 'bar'}, this.title, this.body);
  }

  /** Without a field there is no scale to show. */
  show(field, scale) {
    this.root.hidden = !field;
    if (!field) return;
    const magnitude = Math.max(Math.abs(scale.low), Math.abs(scale.high));
    const {factor, name} = unitFor(field.unit, magnitude);
    this.title.replaceChildren(spoken(field.name), element('span', {class: 'unit'}, name));
    this.ramp.style.setProperty('--stops', gradientStops(scale.map));
    const [low, high] = [scale.low / factor, scale.high / factor];
    this.ticks.replaceChildren(...niceTicks(low, high, 5).map(({value, label}) => {
      const tick = element('span', {class: 'tick'}, label);
      tick.style.setProperty('--at', `${100 * (value - low) / (high - low)}%`);
      return tick;
    }));
  }
}
