// The programs that run on the graphics card. Light and tones follow src/isochor/run/studio.cpp.

/** Positions come as codes of 16 bits, or as metres. */
const PLACE = `
uniform vec3 low, size;
uniform bool coded;
uniform mat4 view;
in vec3 position;
vec3 place() { return low + size * position; }
// The largest code stands for a point that is nowhere.
float nowhere() { return coded && position.x > 0.99999 ? 1.0 : 0.0; }
`;

const ENCODE = `
vec3 encode(vec3 c) {
  c = clamp(c, 0.0, 1.0);
  return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}
`;

export const SURFACE_VERTEX = `#version 300 es
${PLACE}
in vec3 normal;
in float value;
out vec3 at, facing;
out float shown, bad;
void main() {
  at = place();
  facing = normal;
  shown = value;
  bad = nowhere();
  gl_Position = view * vec4(at, 1.0);
}
`;

export const SURFACE_FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 eye, key, sky;
uniform vec4 cut;         // keeps dot(cut.xyz, x) <= cut.w
uniform vec3 colour;      // of the body, where no field is shown
uniform vec2 range;       // of the colour scale
uniform bool hasField, lit, flatNormals;
uniform float glass;      // 0: solid; else how opaque a face is that looks at the eye
uniform sampler2D map;
in vec3 at, facing;
in float shown, bad;
out vec4 pixel;
${ENCODE}
const vec3 NONE = vec3(0.25);

vec3 base() {
  if (!hasField) return colour;
  if (shown > 1e37) return NONE;
  float t = clamp((shown - range.x) / (range.y - range.x), 0.0, 1.0);
  return texture(map, vec2((t * 255.0 + 0.5) / 256.0, 0.5)).rgb;
}

// Light that is stronger than a screen can show is compressed; its hue stays.
vec3 tone(vec3 c) {
  float peak = max(max(c.r, c.g), c.b);
  return peak <= 0.75 ? c : c * ((0.75 + 0.25 * (1.0 - exp(-(peak - 0.75) / 0.25))) / peak);
}

void main() {
  if (bad > 0.0 || dot(cut.xyz, at) > cut.w) discard;
  vec3 c = base();
  if (!lit) {
    pixel = vec4(encode(c), 1.0);
    return;
  }
  vec3 toEye = normalize(eye - at);
  // The face itself is turned to the eye; a smooth normal that points to its other side is seen
  // from within the body. At an outline it may point away from the eye without that.
  vec3 face = normalize(cross(dFdx(at), dFdy(at)));
  if (dot(face, toEye) < 0.0) face = -face;
  vec3 n = flatNormals ? face : normalize(facing);
  bool inside = dot(n, face) < 0.0;
  if (inside) n = -n;
  float grazing = 1.0 - clamp(dot(n, toEye), 0.0, 1.0);
  if (glass > 0.0) {
    pixel = vec4(encode(c), min(1.0, glass + 0.55 * grazing * grazing));
    return;
  }
  float height = dot(n, sky);
  vec3 light = vec3(1.0, 0.97, 0.93) * 0.76 * max(0.0, dot(n, key)) +
               vec3(0.95, 0.98, 1.03) * 0.44 * (0.85 + 0.35 * height);
  float strength = hasField ? 0.4 : 1.0;
  float highlight = pow(max(0.0, dot(n, normalize(key + toEye))), 45.0);
  c = mix(c, vec3(1.0), strength * 0.22 * pow(grazing, 4.0));
  // The inner side of an open surface is in the shade.
  if (inside) light *= 0.55;
  pixel = vec4(encode(tone(c * light + 0.15 * strength * highlight)), 1.0);
}
`;

/** Lines and points of one colour; `fade` lets them vanish with the distance from `middle`. */
export const MARK_VERTEX = `#version 300 es
${PLACE}
uniform float pointSize, nearer;
out vec3 at;
void main() {
  at = place();
  gl_Position = view * vec4(at, 1.0);
  gl_Position.z -= nearer * gl_Position.w;  // in front of the face that it lies on
  gl_PointSize = pointSize;
}
`;

export const MARK_FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 ink;         // sRGB and opacity
uniform vec4 cut;
uniform vec3 middle;
uniform float fade;       // m; 0: none
uniform bool round;
in vec3 at;
out vec4 pixel;
void main() {
  if (dot(cut.xyz, at) > cut.w) discard;
  float alpha = ink.a;
  if (round) {
    vec2 d = 2.0 * gl_PointCoord - 1.0;
    alpha *= 1.0 - smoothstep(0.75, 1.0, length(d));
  }
  if (fade > 0.0) alpha *= 1.0 - smoothstep(0.35, 1.0, length(at - middle) / fade);
  pixel = vec4(ink.rgb, alpha);
}
`;

/** What a body covers of the ground, seen from straight above. */
export const SHADOW_VERTEX = `#version 300 es
${PLACE}
out vec3 at;
out float bad;
void main() {
  at = place();
  bad = nowhere();
  gl_Position = view * vec4(at, 1.0);
}
`;

export const SHADOW_FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 cut;
in vec3 at;
in float bad;
out vec4 pixel;
void main() {
  if (bad > 0.0 || dot(cut.xyz, at) > cut.w) discard;
  pixel = vec4(1.0);
}
`;

export const BLUR_VERTEX = `#version 300 es
in vec2 corner;
out vec2 uv;
void main() {
  uv = 0.5 + 0.5 * corner;
  gl_Position = vec4(corner, 0.0, 1.0);
}
`;

export const BLUR_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D image;
uniform vec2 stride;
in vec2 uv;
out vec4 pixel;
void main() {
  float sum = 0.0, weights = 0.0;
  for (int i = -12; i <= 12; ++i) {
    float w = exp(-float(i * i) / 60.0);
    sum += w * texture(image, uv + float(i) * stride).r;
    weights += w;
  }
  pixel = vec4(sum / weights);
}
`;

export const GROUND_VERTEX = `#version 300 es
uniform mat4 view;
uniform vec3 low, size;   // the square of ground that the shadow picture covers
in vec2 corner;
out vec2 uv;
void main() {
  uv = 0.5 + 0.5 * corner;
  gl_Position = view * vec4(low.x + size.x * uv.x, low.y, low.z + size.z * uv.y, 1.0);
}
`;

export const GROUND_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D image;
uniform float darkness;
in vec2 uv;
out vec4 pixel;
void main() {
  pixel = vec4(0.0, 0.0, 0.0, darkness * texture(image, uv).r);
}
`;
