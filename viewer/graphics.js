// The few things that every use of WebGL needs.

/** Uniforms for positions that come in metres and not as codes. */
export const METRES = {low: [0, 0, 0], size: [1, 1, 1], coded: false};

export class Program {
  constructor(gl, vertexSource, fragmentSource) {
    this.gl = gl;
    this.handle = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertexSource],
      [gl.FRAGMENT_SHADER, fragmentSource]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.handle, shader);
    }
    gl.linkProgram(this.handle);
    if (!gl.getProgramParameter(this.handle, gl.LINK_STATUS) && !gl.isContextLost()) {
      const logs = gl.getAttachedShaders(this.handle).map(s => gl.getShaderInfoLog(s));
      throw new Error([gl.getProgramInfoLog(this.handle), ...logs].join('\n'));
    }
    this.uniforms = new Map();
    const count = gl.getProgramParameter(this.handle, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; ++i) {
      const {name, type} = gl.getActiveUniform(this.handle, i);
      this.uniforms.set(name, {type, at: gl.getUniformLocation(this.handle, name)});
    }
  }

  /** Makes it current and sets uniforms by name; those that it does not have are passed over. */
  use(values) {
    const {gl} = this;
    gl.useProgram(this.handle);
    for (const [name, value] of Object.entries(values)) {
      const uniform = this.uniforms.get(name);
      if (!uniform) continue;
      switch (uniform.type) {
        case gl.FLOAT: gl.uniform1f(uniform.at, value); break;
        case gl.FLOAT_VEC2: gl.uniform2fv(uniform.at, value); break;
        case gl.FLOAT_VEC3: gl.uniform3fv(uniform.at, value); break;
        case gl.FLOAT_VEC4: gl.uniform4fv(uniform.at, value); break;
        case gl.FLOAT_MAT4: gl.uniformMatrix4fv(uniform.at, false, value); break;
        default: gl.uniform1i(uniform.at, value);
      }
    }
  }

  attribute(name) {
    return this.gl.getAttribLocation(this.handle, name);
  }
}

/** A buffer on the card that is filled anew when its array changes. */
export class Buffer {
  constructor(gl, target = gl.ARRAY_BUFFER) {
    this.gl = gl;
    this.target = target;
    this.handle = gl.createBuffer();
    this.array = null;
  }

  fill(array) {
    if (this.array === array) return;
    this.gl.bindBuffer(this.target, this.handle);
    this.gl.bufferData(this.target, array, this.gl.DYNAMIC_DRAW);
    this.array = array;
  }

  get length() {
    return this.array?.length ?? 0;
  }

  bind() {
    this.gl.bindBuffer(this.target, this.handle);
  }

  /** Feeds an attribute from this buffer; the type follows from the array. */
  feed(location, components, normalise = false) {
    if (location < 0) return;
    const {gl} = this;
    const type = this.array instanceof Float32Array ? gl.FLOAT :
      this.array instanceof Int8Array ? gl.BYTE : gl.UNSIGNED_SHORT;
    // Four bytes per normal keep the fourth as padding.
    const stride = type === gl.BYTE ? 4 : 0;
    this.bind();
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, components, type, normalise, stride, 0);
  }
}

export function makeTexture(gl, internalFormat, width, height, bytes, filter = gl.LINEAR) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  const format = internalFormat === gl.R8 ? gl.RED : gl.RGBA;
  gl.texImage2D(gl.TEXTURE_2D, 0, internalFormat, width, height, 0, format, gl.UNSIGNED_BYTE,
      bytes);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  return texture;
}
