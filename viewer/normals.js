// Normals of a surface that bends: smooth over faces, crisp at edges that are sharp at rest.

const CREASE_COSINE = Math.cos(40 * Math.PI / 180);

/**
 * Splits vertices where faces meet at a crease. Returns the triangles of the split vertices and,
 * for each of them, the vertex that it comes from. `rest` is in metres.
 */
export function splitAtCreases(triangles, rest) {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) faceNormal(triangles, rest, t, normals, t);
  for (let t = 0; t < normals.length; t += 3) {
    const size = Math.hypot(normals[t], normals[t + 1], normals[t + 2]) || 1;
    for (let k = 0; k < 3; ++k) normals[t + k] /= size;
  }
  const split = new Uint32Array(triangles.length);
  const origin = [];
  const copies = new Map();  // per vertex, its copies with the normal of the first face of each
  for (let i = 0; i < triangles.length; ++i) {
    const vertex = triangles[i], face = i - i % 3;
    const known = copies.get(vertex) ?? [];
    let copy = known.find(c => cosine(normals, c.face, face) >= CREASE_COSINE);
    if (!copy) {
      copy = {face, index: origin.length};
      origin.push(vertex);
      known.push(copy);
      copies.set(vertex, known);
    }
    split[i] = copy.index;
  }
  return {triangles: split, origin: Uint32Array.from(origin)};
}

/** Normals of all vertices, each weighted by the areas around it, as four signed bytes. */
export function vertexNormals(triangles, positions) {
  const count = positions.length / 3;
  const sums = new Float32Array(3 * count), face = new Float32Array(3);
  for (let t = 0; t < triangles.length; t += 3) {
    faceNormal(triangles, positions, t, face, 0);
    if (!(face[0] * face[0] + face[1] * face[1] + face[2] * face[2] >= 0)) continue;  // NaN
    for (let k = 0; k < 3; ++k) {
      const v = 3 * triangles[t + k];
      sums[v] += face[0];
      sums[v + 1] += face[1];
      sums[v + 2] += face[2];
    }
  }
  const bytes = new Int8Array(4 * count);
  for (let v = 0; v < count; ++v) {
    const scale = 127 / (Math.hypot(sums[3 * v], sums[3 * v + 1], sums[3 * v + 2]) || 1);
    for (let k = 0; k < 3; ++k) bytes[4 * v + k] = Math.round(sums[3 * v + k] * scale);
  }
  return bytes;
}

/** Twice the area times the normal of the triangle that begins at corner t. */
function faceNormal(triangles, p, t, out, at) {
  const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
  const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
  const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
  out[at] = uy * vz - uz * vy;
  out[at + 1] = uz * vx - ux * vz;
  out[at + 2] = ux * vy - uy * vx;
}

const cosine = (n, a, b) => n[a] * n[b] + n[a + 1] * n[b + 1] + n[a + 2] * n[b + 2];
