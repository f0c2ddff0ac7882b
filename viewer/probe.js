// What lies under a point of the picture: the nearest triangle that a ray meets.

import {dot} from './vectors.js';

const decoded = new WeakMap();  // codes to metres, for as long as the frame is kept

function metresOf(dataset, codes) {
  if (!decoded.has(codes)) decoded.set(codes, dataset.metres(codes));
  return decoded.get(codes);
}

/**
 * The nearest hit on the kept side of the cut, with the value of the field between the corners;
 * null where there is none, or where the ray looks at the cut face.
 */
export function probe(dataset, view, eye, ray) {
  if (view.field && !view.field.vertex) return null;
  let nearest = null;
  dataset.bodies.forEach(({triangles}, body) => {
    const positions = metresOf(dataset, view.frame.vertices[body]);
    for (let t = 0; t < triangles.length; t += 3) {
      const hit = meet(positions, triangles, t, eye, ray);
      if (!hit || (nearest && hit.distance >= nearest.distance)) continue;
      const at = eye.map((e, a) => e + hit.distance * ray[a]);
      if (view.cut && dot(view.cut.normal, at) > view.cut.offset) continue;
      nearest = {...hit, at, body, corner: t};
    }
  });
  if (!nearest || (view.cut && nearest.fromWithin)) return null;
  const corners = [0, 1, 2].map(k => dataset.bodies[nearest.body].triangles[nearest.corner + k]);
  const values = view.field ? view.valuesOf('vertex', nearest.body) : null;
  const weights = nearest.weights;
  return {
    body: nearest.body,
    at: nearest.at,
    vertex: corners[weights.indexOf(Math.max(...weights))],
    value: values ? weights.reduce((sum, w, k) => sum + w * values[corners[k]], 0) : null,
  };
}

/** Möller and Trumbore. */
function meet(p, triangles, t, eye, ray) {
  const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
  const e1x = p[b] - p[a], e1y = p[b + 1] - p[a + 1], e1z = p[b + 2] - p[a + 2];
  const e2x = p[c] - p[a], e2y = p[c + 1] - p[a + 1], e2z = p[c + 2] - p[a + 2];
  const hx = ray[1] * e2z - ray[2] * e2y, hy = ray[2] * e2x - ray[0] * e2z,
    hz = ray[0] * e2y - ray[1] * e2x;
  const det = e1x * hx + e1y * hy + e1z * hz;
  if (!(Math.abs(det) > 0)) return null;
  const sx = eye[0] - p[a], sy = eye[1] - p[a + 1], sz = eye[2] - p[a + 2];
  const u = (sx * hx + sy * hy + sz * hz) / det;
  if (!(u >= 0 && u <= 1)) return null;
  const qx = sy * e1z - sz * e1y, qy = sz * e1x - sx * e1z, qz = sx * e1y - sy * e1x;
  const v = (ray[0] * qx + ray[1] * qy + ray[2] * qz) / det;
  if (!(v >= 0 && u + v <= 1)) return null;
  const distance = (e2x * qx + e2y * qy + e2z * qz) / det;
  return distance > 0 ? {distance, weights: [1 - u - v, u, v], fromWithin: det < 0} : null;
}
