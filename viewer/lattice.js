// The hexahedra of a body: their outside, and the section that a plane makes through them.

// Corners of a cell are numbered x fastest; each face goes around in order.
const FACES = [
  [0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
// Six tetrahedra around the diagonal from corner 0 to corner 7.
const TETRAHEDRA = [
  [0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/** Those faces that belong to one cell only: four nodes each, and the cell. */
export function outerFaces(cells) {
  const faces = new Map();
  for (let c = 0; c < cells.length; c += 8) {
    for (const face of FACES) {
      const nodes = face.map(k => cells[c + k]);
      const key = [...nodes].sort((a, b) => a - b).join();
      if (!faces.delete(key)) faces.set(key, {nodes, cell: c / 8});
    }
  }
  return [...faces.values()];
}

/** Triangles of faces, with the node and the cell of each corner. */
export function faceCorners(faces) {
  const nodes = new Uint32Array(6 * faces.length), cells = new Uint32Array(6 * faces.length);
  faces.forEach(({nodes: n, cell}, f) => {
    nodes.set([n[0], n[1], n[2], n[0], n[2], n[3]], 6 * f);
    cells.fill(cell, 6 * f, 6 * f + 6);
  });
  return {nodes, cells};
}

/** Every edge of these faces once, as pairs of nodes. */
export function faceEdges(faces) {
  const edges = new Map();
  for (const {nodes} of faces) {
    for (let k = 0; k < 4; ++k) {
      const [a, b] = [nodes[k], nodes[(k + 1) % 4]].sort((x, y) => x - y);
      edges.set(`${a},${b}`, [a, b]);
    }
  }
  return Uint32Array.from([...edges.values()].flat());
}

/**
 * The polygons in which a plane dot(normal, x) = offset meets the cells, as triangles. `nodeValues`
 * are interpolated; `cellValues` are the same all over a cell. Returns positions in metres, a value
 * per corner, and the lines between neighbouring cells.
 */
export function section(cells, positions, normal, offset, nodeValues, cellValues) {
  const distance = new Float32Array(positions.length / 3);
  for (let n = 0; n < distance.length; ++n) {
    distance[n] = normal[0] * positions[3 * n] + normal[1] * positions[3 * n + 1] +
      normal[2] * positions[3 * n + 2] - offset;
  }
  const out = {positions: [], values: [], edges: []};
  for (let c = 0; c < cells.length; c += 8) {
    let below = 0;
    for (let k = 0; k < 8; ++k) below += distance[cells[c + k]] <= 0 ? 1 : 0;
    if (below === 0 || below === 8) continue;
    const cut = (a, b) => {
      const t = distance[a] / (distance[a] - distance[b]);
      const at = [0, 1, 2].map(k =>
        (1 - t) * positions[3 * a + k] + t * positions[3 * b + k]);
      const value = cellValues ? cellValues[c / 8] :
        nodeValues ? nodeValues[a] + t * (nodeValues[b] - nodeValues[a]) : 0;
      return {at, value};
    };
    for (const tetrahedron of TETRAHEDRA) {
      cutTetrahedron(tetrahedron.map(k => cells[c + k]), distance, cut, out);
    }
    for (const face of FACES) cutFace(face.map(k => cells[c + k]), distance, cut, out.edges);
  }
  return {
    positions: Float32Array.from(out.positions),
    values: Float32Array.from(out.values),
    edges: Float32Array.from(out.edges),
  };
}

function cutTetrahedron(nodes, distance, cut, out) {
  const low = nodes.filter(n => distance[n] <= 0), high = nodes.filter(n => !(distance[n] <= 0));
  if (low.length === 0 || high.length === 0) return;
  const corners = low.length === 2 ?
    [cut(low[0], high[0]), cut(low[0], high[1]), cut(low[1], high[1]), cut(low[1], high[0])] :
    low.flatMap(a => high.map(b => cut(a, b)));
  for (let k = 2; k < corners.length; ++k) {
    for (const corner of [corners[0], corners[k - 1], corners[k]]) {
      out.positions.push(...corner.at);
      out.values.push(corner.value);
    }
  }
}

/** Where the plane crosses the four sides of a face: the line between two cells. */
function cutFace(nodes, distance, cut, edges) {
  const ends = [];
  for (let k = 0; k < 4; ++k) {
    const a = nodes[k], b = nodes[(k + 1) % 4];
    if (distance[a] <= 0 !== distance[b] <= 0) ends.push(cut(a, b).at);
  }
  for (let k = 0; k + 1 < ends.length; k += 2) edges.push(...ends[k], ...ends[k + 1]);
}
