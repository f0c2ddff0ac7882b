// What is drawn of a body: its surface, the cells it consists of, and a section through them.
import {NONE} from './dataset.js';
import {Buffer} from './graphics.js';
import {faceCorners, faceEdges, outerFaces, section} from './lattice.js';
import {splitAtCreases, vertexNormals} from './normals.js';

/** Takes items of `width` numbers by their index. */
function gather(array, indices, width) {
  const out = new array.constructor(width * indices.length);
  for (let i = 0; i < indices.length; ++i) {
    for (let k = 0; k < width; ++k) out[width * i + k] = array[width * indices[i] + k];
  }
  return out;
}

/** Remembers the last result for the same arguments. */
function remembering(compute) {
  let last = null, result;
  return (...key) => {
    if (!last || key.some((part, i) => part !== last[i])) {
      result = compute(...key);
      last = key;
    }
    return result;
  };
}

/** The user's surface, with smooth normals. */
export class SurfaceShape {
  flatNormals = false;

  constructor(gl, dataset, body) {
    this.gl = gl;
    this.dataset = dataset;
    this.body = body;
    const {triangles, restVertices} = dataset.bodies[body];
    const split = splitAtCreases(triangles, dataset.metres(restVertices));
    this.origin = split.origin;
    this.triangles = split.triangles;
    this.positions = new Buffer(gl);
    this.normals = new Buffer(gl);
    this.values = new Buffer(gl);
    this.index = new Buffer(gl, gl.ELEMENT_ARRAY_BUFFER);
    this.index.fill(split.triangles);
    this.place = remembering(frame => {
      const codes = gather(frame.vertices[this.body], this.origin, 3);
      this.positions.fill(codes);
      this.normals.fill(vertexNormals(this.triangles, this.dataset.metres(codes)));
    });
    this.paint = remembering((values) => {
      this.values.fill(values ? gather(values, this.origin, 1) :
        new Float32Array(this.origin.length).fill(NONE));
    });
  }

  get triangleCount() {
    return this.triangles.length / 3;
  }

  draw(program) {
    this.positions.feed(program.attribute('position'), 3, true);
    this.normals.feed(program.attribute('normal'), 3, true);
    this.values.feed(program.attribute('value'), 1);
    this.index.bind();
    this.gl.drawElements(this.gl.TRIANGLES, this.triangles.length, this.gl.UNSIGNED_INT, 0);
  }
}

/** The outside of the cells, with the edges between them. */
export class CellShape {
  flatNormals = true;

  constructor(gl, dataset, body) {
    this.gl = gl;
    this.body = body;
    const faces = outerFaces(dataset.bodies[body].cells);
    this.corners = faceCorners(faces);
    this.positions = new Buffer(gl);
    this.values = new Buffer(gl);
    this.nodes = new Buffer(gl);
    this.edges = new Buffer(gl, gl.ELEMENT_ARRAY_BUFFER);
    this.edges.fill(faceEdges(faces));
    this.place = remembering(frame => {
      this.nodes.fill(frame.nodes[this.body]);
      this.positions.fill(gather(frame.nodes[this.body], this.corners.nodes, 3));
    });
    this.paint = remembering((cellValues, nodeValues) => {
      const {nodes, cells} = this.corners;
      this.values.fill(cellValues ? gather(cellValues, cells, 1) :
        nodeValues ? gather(nodeValues, nodes, 1) : new Float32Array(cells.length).fill(NONE));
    });
  }

  get triangleCount() {
    return this.corners.nodes.length / 3;
  }

  draw(program) {
    this.positions.feed(program.attribute('position'), 3, true);
    this.values.feed(program.attribute('value'), 1);
    this.gl.drawArrays(this.gl.TRIANGLES, 0, this.corners.nodes.length);
  }

  drawEdges(program) {
    this.nodes.feed(program.attribute('position'), 3, true);
    this.edges.bind();
    this.gl.drawElements(this.gl.LINES, this.edges.length, this.gl.UNSIGNED_INT, 0);
  }
}

/** The cut face: what a plane meets of the cells. */
export class SectionShape {
  constructor(gl, dataset, body) {
    this.gl = gl;
    this.positions = new Buffer(gl);
    this.values = new Buffer(gl);
    this.edges = new Buffer(gl);
    const {cells} = dataset.bodies[body];
    this.cut = remembering((frame, plane, nodeValues, cellValues) => {
      const nodes = dataset.metres(frame.nodes[body]);
      const cut = section(cells, nodes, plane.normal, plane.offset, nodeValues, cellValues);
      this.positions.fill(cut.positions);
      this.values.fill(cut.values);
      this.edges.fill(cut.edges);
    });
  }

  draw(program) {
    if (this.positions.length === 0) return;
    this.positions.feed(program.attribute('position'), 3);
    this.values.feed(program.attribute('value'), 1);
    this.gl.drawArrays(this.gl.TRIANGLES, 0, this.positions.length / 3);
  }

  drawEdges(program) {
    if (this.edges.length === 0) return;
    this.edges.feed(program.attribute('position'), 3);
    this.gl.drawArrays(this.gl.LINES, 0, this.edges.length / 3);
  }
}
