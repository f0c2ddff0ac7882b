// Vectors of three numbers, and matrices of sixteen by columns as WebGL wants them.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = a => Math.hypot(a[0], a[1], a[2]);
export const normalised = a => scaled(a, 1 / length(a));
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** Turns `v` about a unit axis (Rodrigues). */
export function rotated(v, axis, angle) {
  const c = Math.cos(angle), s = Math.sin(angle);
  return add(add(scaled(v, c), scaled(cross(axis, v), s)), scaled(axis, dot(axis, v) * (1 - c)));
}

/** From the world to clip space, for an eye with an orthonormal frame that looks along -back. */
export function viewProjection({eye, right, up, back}, tanHalfHeight, aspect, near, far) {
  const x = 1 / (tanHalfHeight * aspect), y = 1 / tanHalfHeight;
  const z = (far + near) / (near - far), w = 2 * far * near / (near - far);
  const rows = [
    [...scaled(right, x), -dot(right, eye) * x],
    [...scaled(up, y), -dot(up, eye) * y],
    [...scaled(back, z), -dot(back, eye) * z + w],
    [...scaled(back, -1), dot(back, eye)],
  ];
  const out = new Float32Array(16);
  for (let r = 0; r < 4; ++r) for (let c = 0; c < 4; ++c) out[4 * c + r] = rows[r][c];
  return out;
}
