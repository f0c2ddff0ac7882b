// Play, step, scrub, speed.
import {element, icon, select, slider} from './elements.js';
import {SPEEDS} from './state.js';

const PLAY = 'M4 2.5v11l9-5.5z', PAUSE = 'M4 2.5h3v11H4zM9 2.5h3v11H9z';
const BACK = 'M11 3v10L4.5 8z', FORTH = 'M5 3v10l6.5-5z';

export class Timeline {
  constructor(state, dataset) {
    this.dataset = dataset;
    const button = (name, path, title, onClick) => {
      const made = element('button', {type: 'button', class: name, title, 'aria-label': title},
          icon(path));
      made.addEventListener('click', onClick);
      return made;
    };
    const step = by => () => state.step(by, dataset.frameCount);
    this.play = button('play', PLAY, 'Play or pause (Space)',
        () => state.set({playing: !state.playing}));
    this.slider = slider('Frame', {min: 0, max: Math.max(0, dataset.frameCount - 1), step: 1},
        frame => state.set({playing: false, frame}));
    this.readout = element('output', {class: 'readout'});
    this.speed = select('Speed', SPEEDS.map(s => [String(s), `${s}×`]),
        s => state.set({speed: Number(s)}));
    this.root = element('div', {class: 'timeline'}, this.play,
        button('step', BACK, 'Frame before (,)', step(-1)),
        button('step', FORTH, 'Frame after (.)', step(1)), this.slider, this.readout, this.speed);
  }

  show(state) {
    this.root.hidden = state.setup || this.dataset.frameCount < 2;
    this.play.querySelector('path').setAttribute('d', state.playing ? PAUSE : PLAY);
    this.slider.value = state.frame;
    this.speed.value = String(state.speed);
    const {index, time} = this.dataset.header.frames[state.frame] ?? {index: 0, time: 0};
    const unpacked = this.dataset.frames.length;
    this.readout.textContent = unpacked > state.frame ? `frame ${index} · ${time.toFixed(3)} s` :
      `unpacking ${Math.round(100 * unpacked / this.dataset.frameCount)} %`;
    this.slider.setAttribute('aria-valuetext', this.readout.textContent);
  }
}
