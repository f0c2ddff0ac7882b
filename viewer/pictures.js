// Without WebGL the pictures of the page become one picture with a slider.
import {element, slider} from './elements.js';

export function showAsSlides(section) {
  const figures = section ? [...section.querySelectorAll('figure')] : [];
  if (figures.length < 2) return;
  let timer = 0;
  const play = element('button', {type: 'button'}, 'Play');
  const show = i => {
    bar.value = i;
    figures.forEach((figure, k) => figure.classList.toggle('current', k === i));
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    play.textContent = 'Play';
  };
  const bar = slider('Picture', {min: 0, max: figures.length - 1, value: 0}, i => {
    stop();
    show(i);
  });
  play.addEventListener('click', () => {
    if (timer) return stop();
    play.textContent = 'Pause';
    timer = setInterval(() => show((Number(bar.value) + 1) % figures.length), 200);
  });
  section.after(element('div', {class: 'scrubber'}, play, bar));
  section.classList.add('slides');
  show(0);
}
