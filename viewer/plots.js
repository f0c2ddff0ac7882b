// Plots over frames get a line at the frame that is shown, and a click on them goes to a frame.
import {svgElement} from './elements.js';

/** `data-frames` of a plot: first and last frame, and where they lie in the picture. */
export function linkPlots(root, app) {
  const plots = [...root.querySelectorAll('g[data-frames]')].map(mark => {
    const [low, high, first, last, top, bottom] = mark.dataset.frames.split(' ').map(Number);
    const svg = mark.ownerSVGElement;
    const line = svgElement('path', {class: 'cursor'});
    mark.append(line);
    const place = frame => first + (frame - low) / (high - low) * (last - first);
    svg.addEventListener('click', event => {
      const box = svg.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
      const frame = low + (x - first) / (last - first) * (high - low);
      app.state.set({playing: false, setup: false, frame: nearestFrame(app.first, frame)});
    });
    return frame => line.setAttribute('d', `M${place(frame).toFixed(1)} ${top}V${bottom}`);
  });
  const show = () => {
    const shown = app.first.header.frames[app.state.frame];
    if (shown) for (const plot of plots) plot(shown.index);
  };
  app.root.addEventListener('shown', show);
  show();
}

function nearestFrame(dataset, wanted) {
  let best = 0;
  dataset.header.frames.forEach(({index}, i) => {
    if (Math.abs(index - wanted) < Math.abs(dataset.header.frames[best].index - wanted)) best = i;
  });
  return best;
}
