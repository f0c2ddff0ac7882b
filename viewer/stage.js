// One picture of a run: a canvas with its colour scale and words, drawn when something has changed.
import {element} from './elements.js';
import {quantity, quantityLike, spoken} from './numbers.js';
import {probe} from './probe.js';
import {Renderer, openGraphics} from './renderer.js';
import {placeAttachments} from './setup_marks.js';

const LIGHT = {grid: [0.30, 0.34, 0.40, 0.20], lattice: [0.05, 0.07, 0.10, 0.55], shadow: 0.34};
const DARK = {grid: [0.80, 0.85, 0.92, 0.13], lattice: [0.02, 0.03, 0.04, 0.65], shadow: 0.55};

export class Stage {
  /** `look()` says what is to be shown, as Renderer.draw wants it. */
  constructor(dataset, camera, label, look) {
    this.dataset = dataset;
    this.camera = camera;
    this.look = look;
    this.canvas = element('canvas', {tabIndex: 0, role: 'application', 'aria-label': label});
    this.labels = element('div', {class: 'labels', 'aria-hidden': 'true'});
    this.hint = element('div', {class: 'hint', hidden: true});
    this.scaleNote = element('div', {class: 'scale-note'});
    this.root = element('div', {class: 'stage'}, this.canvas, this.labels, this.hint,
        this.scaleNote);
    this.gl = openGraphics(this.canvas);
    this.renderer = null;
    this.drawn = {triangles: 0, problem: 0};
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.dark.addEventListener('change', () => this.refresh());
    new ResizeObserver(() => this.refresh()).observe(this.root);
    this.canvas.addEventListener('pointermove', event => this.#showHint(event));
    this.canvas.addEventListener('pointerleave', () => { this.hint.hidden = true; });
    this.canvas.addEventListener('webglcontextrestored', () => this.prepare());
    this.canvas.addEventListener('webglcontextlost', event => {
      event.preventDefault();
      this.renderer = null;
    });
  }

  get works() {
    return this.gl !== null;
  }

  get aspect() {
    return this.root.clientWidth / Math.max(1, this.root.clientHeight);
  }

  /** Once the shapes are known. */
  prepare() {
    this.renderer = new Renderer(this.gl, this.dataset);
    this.attachments = placeAttachments(this.dataset);
    this.labels.replaceChildren(...this.attachments.map(a =>
      element('span', {class: 'label'}, a.name.split('.').at(-1))));
    this.refresh();
  }

  refresh() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.#draw();
    });
  }

  #draw() {
    const view = this.renderer && this.look();
    if (!view) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(this.root.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.root.clientHeight * ratio));
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    view.camera = this.camera;
    view.theme = this.dark.matches ? DARK : LIGHT;
    this.view = view;
    this.drawn.triangles = this.renderer.draw(view, width, height);
    // To ask for errors is to wait for the card: not while it plays.
    if (!view.playing) this.drawn.problem ||= this.gl.getError();
    const {spacing} = this.renderer.ground;
    this.scaleNote.textContent = view.lit ? `grid ${quantity(spacing, 'm', 1)}` : '';
    this.#placeLabels(view);
    this.root.dispatchEvent(new CustomEvent('drawn'));
  }

  #placeLabels(view) {
    this.labels.hidden = !view.setup;
    if (!view.setup) return;
    const m = this.camera.matrix(this.aspect);
    const {clientWidth, clientHeight} = this.root;
    this.attachments.forEach(({middle: [x, y, z]}, i) => {
      const clip = [0, 1, 3].map(r => m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r]);
      const left = (0.5 + 0.5 * clip[0] / clip[2]) * clientWidth;
      const top = (0.5 - 0.5 * clip[1] / clip[2]) * clientHeight;
      moveTo(this.labels.children[i], left, top);
    });
  }

  /** The value under the mouse. */
  #showHint(event) {
    if (event.buttons || event.pointerType === 'touch' || !this.view || this.view.setup) {
      this.hint.hidden = true;
      return;
    }
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const ray = this.camera.ray(2 * x / box.width - 1, 1 - 2 * y / box.height, this.aspect);
    const hit = probe(this.dataset, this.view, this.camera.eye, ray);
    this.hint.hidden = !hit;
    if (!hit) return;
    const {field} = this.view, body = this.dataset.bodies[hit.body];
    const lines = [
      field && hit.value !== null ? `${spoken(field.name)} ${quantity(hit.value, field.unit)}` : '',
      // The numbers of vertices are the user's only where all of them are shown.
      body.whole ? `${body.name}, vertex ${hit.vertex}` : body.name,
      hit.at.map(c => quantityLike(c, 'm', this.dataset.size / 10)).join(', ')].filter(Boolean);
    this.hint.replaceChildren(...lines.map(line => element('div', {}, line)));
    const left = Math.min(x + 14, box.width - this.hint.offsetWidth - 8);
    moveTo(this.hint, left, Math.max(8, y - this.hint.offsetHeight - 12));
  }
}

function moveTo(label, left, top) {
  label.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
}
