// Numbers as people read them: a few digits, an SI prefix, the unit.

const PREFIXES = [
  [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];
const WITH_PREFIX = new Set(['Pa', 'J', 'N', 'm', 's', 'W', 'm/s', 'N m']);

/** The factor and name of the unit in which numbers of this size read best. */
export function unitFor(unit, magnitude) {
  if (unit === 'm' && magnitude >= 0.01 && magnitude < 1) return {factor: 0.01, name: 'cm'};
  if (!WITH_PREFIX.has(unit) || !(magnitude > 0)) return {factor: 1, name: unit};
  const [factor, prefix] = PREFIXES.find(([f]) => magnitude >= f * 0.9999) ?? PREFIXES.at(-1);
  return {factor, name: prefix + unit};
}

/** Three significant digits, without a tail of zeros that means nothing. */
export function digits(value, significant = 3) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(significant - 1).replace('-', '−');
  const decimals = Math.max(0, significant - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(decimals).replace('-', '−');
}

export function quantity(value, unit, significant = 3) {
  const {factor, name} = unitFor(unit, Math.abs(value));
  return digits(value / factor, significant) + (name ? '\u202f' + name : '');
}

/** The same in the unit and with the decimals that suit another number: both can be compared. */
export function quantityLike(value, unit, magnitude) {
  const {factor, name} = unitFor(unit, magnitude);
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(magnitude / factor)));
  const text = (value / factor).toFixed(decimals);
  return (Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−')) + '\u202f' + name;
}

/** 1, 2 or 5 times a power of ten, about `span / count`. */
export function niceStep(span, count) {
  const raw = span / count, power = 10 ** Math.floor(Math.log10(raw));
  const leading = raw / power;
  return power * (leading < 1.5 ? 1 : leading < 3.5 ? 2 : leading < 7.5 ? 5 : 10);
}

/** Round numbers between two ends, with labels that have as many decimals as the step needs. */
export function niceTicks(low, high, count) {
  if (!(high > low)) return [{value: low, label: digits(low)}];
  const step = niceStep(high - low, count);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9; ++k) {
    const value = k * step;
    const exponent = Math.abs(value) >= 1e6 || decimals > 6;
    const label = exponent ? value.toExponential(1) : value.toFixed(decimals);
    ticks.push({value, label: (k === 0 ? '0' : label).replace('-', '−')});
  }
  return ticks;
}

/** "von_mises" reads better as "von Mises stress". */
export function spoken(name) {
  const known = {
    von_mises: 'von Mises stress', J: 'volume ratio J', displacement: 'displacement',
    pressure: 'pressure', contact_pressure_mmhg: 'contact pressure'};
  return known[name] ?? name.replaceAll('_', ' ');
}
