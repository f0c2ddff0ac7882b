// A camera that circles a point. It sees what `isochor render` sees: the same lens, and the same
// rule for how far away it stands (src/isochor/run/render.cpp, fit_view).
import {add, cross, dot, length, normalised, rotated, scaled, subtract, viewProjection}
  from './vectors.js';

const TAN_HALF_HEIGHT = 0.23;  // 26 degrees: a long lens, little distortion
const MARGIN = 0.8;            // of the picture that the bodies fill

/** From the front right, a little from above. */
function defaultDirection(up) {
  const front = Math.abs(up[2]) < 0.9 ? [0, 0, 1] : [0, -1, 0], side = cross(up, front);
  return normalised(add(add(scaled(side, 0.50), scaled(up, 0.42)), scaled(front, 0.85)));
}

export class Camera {
  constructor(outline, low, high, up) {
    this.outline = outline;
    this.up = up;  // an axis
    this.radius = Math.max(length(subtract(high, low)) / 2, 1e-9);
    this.middle = scaled(add(low, high), 0.5);
    this.direction = defaultDirection(this.up);
    this.target = this.middle;
    this.distance = 4 * this.radius;
    this.fitted = false;
  }

  /** Right, up and back as an orthonormal frame. */
  get axes() {
    const back = this.direction;
    let right = cross(this.up, back);
    if (length(right) < 1e-6) right = [1, 0, 0];
    right = normalised(right);
    return {right, up: cross(back, right), back};
  }

  get eye() {
    return add(this.target, scaled(this.direction, this.distance));
  }

  /** The nearest place along the present direction from which all of the outline is seen. */
  fit(aspect, share = {left: 0, right: 0}) {
    const {right, up, back} = this.axes;
    const half = [TAN_HALF_HEIGHT * aspect, TAN_HALF_HEIGHT];
    const slopes = [
      [MARGIN * half[0] * (1 - 2 * share.left), MARGIN * half[0] * (1 - 2 * share.right)],
      [MARGIN * half[1], MARGIN * half[1]]];
    const reach = [right, up].map((axis, a) => {
      const most = [-Infinity, -Infinity];
      for (const p of this.outline) {
        const x = subtract(p, this.middle);
        const across = dot(axis, x), near = dot(back, x);
        most[0] = Math.max(most[0], near * slopes[a][0] - across);
        most[1] = Math.max(most[1], near * slopes[a][1] + across);
      }
      return most;
    });
    this.distance = Math.max(1.2 * this.radius, ...reach.map((most, a) =>
      (most[0] + most[1]) / (slopes[a][0] + slopes[a][1])));
    // In the middle of what is free on both sides.
    const shift = reach.map((most, a) => {
      const room = this.distance * (slopes[a][0] + slopes[a][1]) - most[0] - most[1];
      return most[1] - this.distance * slopes[a][1] + room / 2;
    });
    this.target = add(this.middle, add(scaled(right, shift[0]), scaled(up, shift[1])));
    this.fitted = true;
  }

  /** Angles in radians; the camera never passes over the poles. */
  orbit(around, over) {
    let direction = rotated(this.direction, this.up, -around);
    const tilt = Math.asin(Math.max(-1, Math.min(1, dot(direction, this.up))));
    const next = Math.max(-1.54, Math.min(1.54, tilt + over));
    const side = normalised(cross(this.up, direction));
    direction = rotated(direction, side, tilt - next);
    this.direction = normalised(direction);
    this.fitted = false;
  }

  /** Moves the picture by a share of its height. */
  pan(dx, dy) {
    const {right, up} = this.axes;
    const step = 2 * TAN_HALF_HEIGHT * this.distance;
    this.target = add(this.target, add(scaled(right, -dx * step), scaled(up, dy * step)));
    this.fitted = false;
  }

  zoom(factor) {
    const limits = [0.05 * this.radius, 60 * this.radius];
    this.distance = Math.max(limits[0], Math.min(limits[1], this.distance * factor));
    this.fitted = false;
  }

  reset(aspect, share) {
    this.direction = defaultDirection(this.up);
    this.fit(aspect, share);
  }

  matrix(aspect) {
    const far = this.distance + 30 * this.radius;
    const near = Math.max(this.distance - 3 * this.radius, 0.01 * this.distance);
    return viewProjection({eye: this.eye, ...this.axes}, TAN_HALF_HEIGHT, aspect, near, far);
  }

  /** The direction from the eye through a point of the picture, both coordinates from -1 to 1. */
  ray(x, y, aspect) {
    const {right, up, back} = this.axes;
    return normalised(subtract(add(scaled(right, x * TAN_HALF_HEIGHT * aspect),
        scaled(up, y * TAN_HALF_HEIGHT)), back));
  }
}
