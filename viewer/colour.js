// Colour maps that move evenly in Oklab, the same as those of src/isochor/run/colormap.cpp.

const BODY_COLOURS = [0xd9745f, 0x4b86b4, 0x7fae92, 0xe0b66c, 0x94749c, 0x66788c];

/** Linear light, 0 to 1, of the body with this number. */
export function bodyColour(body) {
  return decodeSrgb(BODY_COLOURS[body % BODY_COLOURS.length]);
}

export function decodeSrgb(rrggbb) {
  return [16, 8, 0].map(shift => {
    const x = (rrggbb >> shift & 255) / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  });
}

function encodeSrgb(linear) {
  const x = Math.max(0, Math.min(1, linear));
  return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
}

function fromOklch(lightness, chroma, degrees) {
  const hue = degrees * Math.PI / 180;
  const a = chroma * Math.cos(hue), b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s].map(encodeSrgb);
}

/** sRGB bytes at `t` from 0 to 1 of the map 'sequential' or 'diverging'. */
export function mapColour(map, t) {
  if (map === 'sequential') {
    return fromOklch(0.30 + 0.62 * t, 0.16 - 0.25 * t * (1 - t), 300 - 195 * t);
  }
  const side = 2 * t - 1, amount = Math.abs(side);
  return fromOklch(0.96 - 0.46 * amount, 0.165 * amount, side < 0 ? 255 : 28);
}

/** `count` colours from low to high, four bytes each. */
export function mapTexture(map, count) {
  const bytes = new Uint8Array(4 * count);
  for (let i = 0; i < count; ++i) bytes.set([...mapColour(map, i / (count - 1)), 255], 4 * i);
  return bytes;
}

/**
 * One scale for all frames. A ratio of volumes is neutral at 1, a signed quantity at 0; one that
 * almost reaches zero begins there.
 */
export function chooseScale({name, low, high}) {
  const neutral = name === 'J' ? 1 : 0;
  const below = neutral - low, above = high - neutral;
  const signed = Math.min(below, above) > 0.05 * Math.max(below, above);
  if (name === 'J' || signed) {
    const reach = Math.max(below, above) || 0.01;
    return {map: 'diverging', low: neutral - reach, high: neutral + reach};
  }
  // What only just passes zero is a trace that rounding or interpolation has left.
  if (low < 0.25 * high && high > 0) low = 0;
  if (high > 0.25 * low && low < 0) high = 0;
  if (!(high > low)) [low, high] = [low - 0.5, low + 0.5];
  return {map: 'sequential', low, high};
}

/** The map as the stops of a CSS gradient. */
export function gradientStops(map) {
  return Array.from({length: 17}, (_, i) => `rgb(${mapColour(map, i / 16).join()})`).join(', ');
}
