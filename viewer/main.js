// Starts the viewer of a page, or leaves the page as it is where it cannot run.
import {App} from './app.js';
import {Dataset} from './dataset.js';
import {showFrameFacts} from './frame_facts.js';
import {linkHistogram} from './histogram.js';
import {showAsSlides} from './pictures.js';
import {linkPlots} from './plots.js';

/** The runs that the page carries: a header and its blocks each. */
function readRuns() {
  return [...document.querySelectorAll('script.viewer-header')].map(script => {
    const {run, title} = script.dataset;
    const blocks = [...document.querySelectorAll(`script.viewer-block[data-run="${run}"]`)];
    const texts = blocks.map(block => block.textContent);
    for (const block of blocks) block.remove();
    return {title, dataset: new Dataset(JSON.parse(script.textContent), texts)};
  });
}

async function main() {
  const pictures = document.querySelector('.pictures');
  const root = document.querySelector('#viewer');
  if (!root || typeof DecompressionStream === 'undefined') return showAsSlides(pictures);
  const app = new App(readRuns());
  if (!app.works) return showAsSlides(pictures);
  try {
    await app.start(root);
    document.querySelector('#pictures-box')?.removeAttribute('open');
    showFrameFacts(app);
    linkPlots(document, app);
    linkHistogram(document, app);
  } catch (error) {
    root.hidden = true;
    showAsSlides(pictures);
    app.fail(error);
    throw error;
  }
}

addEventListener('error', event => { document.documentElement.dataset.error = event.message; });
main();
