// Making elements of the page. Text goes in as text, never as markup.

/** An element with properties and children; `class`, `aria-*` and `data-*` are attributes. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === 'class') made.className = value;
    else if (/^(aria|data)-|^(for|role)$/.test(key)) made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

/** A button that stays down while something is on. */
export function toggle(label, title, onChange) {
  const button = element('button', {type: 'button', title, 'aria-pressed': 'false'}, label);
  button.addEventListener('click', () => onChange(button.getAttribute('aria-pressed') !== 'true'));
  return {button, show: on => button.setAttribute('aria-pressed', String(on))};
}

/** One of a few choices, side by side. */
export function choice(label, options, onChange) {
  const buttons = options.map(([value, text, title]) => {
    const button = element('button', {type: 'button', class: 'choice', title: title ?? ''}, text);
    button.addEventListener('click', () => onChange(value));
    return [value, button];
  });
  const group = element('div', {class: 'choices', role: 'group', 'aria-label': label},
      ...buttons.map(([, button]) => button));
  const show = chosen => {
    for (const [value, button] of buttons) {
      button.setAttribute('aria-pressed', String(value === chosen));
    }
  };
  return {group, show};
}

export function slider(label, attributes, onInput) {
  const input = element('input', {type: 'range', 'aria-label': label, ...attributes});
  input.addEventListener('input', () => onInput(Number(input.value)));
  return input;
}

export function select(label, options, onChange) {
  const made = element('select', {'aria-label': label},
      ...options.map(([value, text]) => element('option', {value}, text)));
  made.addEventListener('change', () => onChange(made.value));
  return made;
}

/** An element of a drawing. */
export function svgElement(name, attributes = {}) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** A small picture that needs no file. */
export function icon(path) {
  const svg = svgElement('svg', {viewBox: '0 0 16 16', 'aria-hidden': 'true'});
  svg.append(svgElement('path', {d: path}));
  return svg;
}
