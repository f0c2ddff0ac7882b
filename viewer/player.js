// Moves from frame to frame at the speed of the scene.

export class Player {
  constructor(state, dataset) {
    this.state = state;
    this.dataset = dataset;
    this.since = 0;
    this.running = false;
    state.listen(changed => {
      if (changed.includes('playing') && state.playing) this.#start();
    });
    if (state.playing) this.#start();
  }

  #start() {
    if (this.running) return;
    this.running = true;
    let last = performance.now();
    const tick = now => {
      if (!this.state.playing) {
        this.running = false;
        return;
      }
      this.since += (now - last) / 1000 * this.state.speed * this.dataset.frameRate;
      last = now;
      const steps = Math.floor(this.since);
      this.since -= steps;
      // Only what is unpacked can be shown.
      const ready = this.dataset.frames.length;
      if (steps > 0 && ready > 0) this.state.set({frame: (this.state.frame + steps) % ready});
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
}
