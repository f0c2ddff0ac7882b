// Mouse, touch and keys on the picture. Each moves the camera and then calls `changed`.

const KEY_TURN = 0.12, KEY_PAN = 0.05, KEY_ZOOM = 1.12;

/** The keys, as the page explains them. */
export const KEYS = [
  ['arrows', 'turn'], ['Shift + arrows', 'move'], ['+ −', 'nearer, farther'],
  ['Home', 'whole picture'], ['Space', 'play, pause'], [', .', 'frame before, after'],
  ['F', 'next field'], ['L', 'lattice'], ['C', 'cut along x, y, z, not at all'],
  ['S', 'set-up or result']];

export function followGestures(canvas, camera, changed, commands) {
  const pointers = new Map();

  canvas.addEventListener('pointerdown', event => {
    canvas.focus({preventScroll: true});
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  const release = event => pointers.delete(event.pointerId);
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);

  canvas.addEventListener('pointermove', event => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const height = canvas.clientHeight;
    const dx = (event.clientX - last[0]) / height, dy = (event.clientY - last[1]) / height;
    if (pointers.size === 1) {
      const moves = event.shiftKey || (event.buttons & 6) !== 0;
      if (moves) camera.pan(dx, dy); else camera.orbit(4 * dx, 4 * dy);
    } else if (pointers.size === 2) {
      // Two fingers: their distance zooms, their middle moves.
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const before = Math.hypot(last[0] - other[0], last[1] - other[1]);
      const after = Math.hypot(event.clientX - other[0], event.clientY - other[1]);
      if (before > 0 && after > 0) camera.zoom(before / after);
      camera.pan(dx / 2, dy / 2);
    }
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    changed();
  });

  // The page must still scroll: the wheel belongs to the picture only once it was clicked.
  canvas.addEventListener('wheel', event => {
    if (document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
    camera.zoom(Math.exp(event.deltaY * lines * 0.0012));
    changed();
  }, {passive: false});
  canvas.addEventListener('contextmenu', event => event.preventDefault());
  canvas.addEventListener('dblclick', () => commands.home());

  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const step = event.shiftKey ? (x, y) => camera.pan(-KEY_PAN * x, KEY_PAN * y) :
      (x, y) => camera.orbit(KEY_TURN * x, KEY_TURN * y);
    const moves = {
      ArrowLeft: () => step(1, 0), ArrowRight: () => step(-1, 0),
      ArrowUp: () => step(0, 1), ArrowDown: () => step(0, -1),
      '+': () => camera.zoom(1 / KEY_ZOOM), '=': () => camera.zoom(1 / KEY_ZOOM),
      '-': () => camera.zoom(KEY_ZOOM)};
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const command = {
      Home: commands.home, ' ': commands.play, ',': commands.back, '.': commands.forth,
      f: commands.field, l: commands.lattice, c: commands.cut, s: commands.setup}[key];
    if (!moves[key] && !command) return;
    event.preventDefault();
    if (moves[key]) {
      moves[key]();
      changed();
    } else {
      command();
    }
  });
}
