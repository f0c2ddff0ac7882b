// Undoes what src/isochor/run/packing.cpp does to numbers.

/** The code of a number that was not finite. */
export const NO_VALUE = 0xffff;

export function bytesFromBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The bytes that a zlib stream stands for. */
export async function inflate(packed) {
  const {readable, writable} = new DecompressionStream('deflate');
  const writer = writable.getWriter();
  // Not waited for: it ends only when all has been read.
  const written = writer.write(packed).then(() => writer.close());
  const pieces = [];
  for (const reader = readable.getReader(); ;) {
    const {value, done} = await reader.read();
    if (done) break;
    pieces.push(value);
  }
  await written;
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Takes arrays out of a block in the order in which they were put in. */
export class BlockReader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** Codes that were predicted by what lies `stride` before. */
  codes(count, stride) {
    const codes = this.#differences16(count);
    for (let i = stride; i < count; ++i) codes[i] += codes[i - stride];
    return codes;
  }

  /** Codes that were predicted by the same array one frame before, or by two of them. */
  codesAfter(count, before, twoBefore) {
    const codes = this.#differences16(count);
    if (twoBefore) {
      for (let i = 0; i < count; ++i) codes[i] += 2 * before[i] - twoBefore[i];
    } else {
      for (let i = 0; i < count; ++i) codes[i] += before[i];
    }
    return codes;
  }

  indices(count) {
    const bytes = this.#take(4 * count);
    const indices = new Uint32Array(count);
    let last = 0;
    for (let i = 0; i < count; ++i) {
      const z = bytes[i] | bytes[count + i] << 8 | bytes[2 * count + i] << 16 |
          bytes[3 * count + i] << 24;
      last = last + (z >>> 1 ^ -(z & 1)) | 0;
      indices[i] = last;
    }
    return indices;
  }

  expectEnd() {
    if (this.at !== this.bytes.length) throw new Error('the data of this page are damaged');
  }

  /** Byte planes and zigzag undone; sums of these wrap around at 16 bits by themselves. */
  #differences16(count) {
    const bytes = this.#take(2 * count);
    const out = new Uint16Array(count);
    for (let i = 0; i < count; ++i) {
      const z = bytes[i] | bytes[count + i] << 8;
      out[i] = z >>> 1 ^ -(z & 1);
    }
    return out;
  }

  #take(length) {
    this.at += length;
    if (this.at > this.bytes.length) throw new Error('the data of this page end too early');
    return this.bytes.subarray(this.at - length, this.at);
  }
}
