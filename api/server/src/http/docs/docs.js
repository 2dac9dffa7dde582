// Renders the endpoints of openapi.json. Everything is inserted as text, never as markup.
const list = document.getElementById('list');
const find = document.getElementById('find');
const count = document.getElementById('count');

const make = (tag, text, className) => {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  if (className) element.className = className;
  return element;
};

const resolve = (document_, schema) => {
  const name = schema && schema.$ref && schema.$ref.split('/').pop();
  return name ? { name, schema: document_.components.schemas[name] } : { name: '', schema };
};

const block = (document_, title, content) => {
  const schema = content && content['application/json'] && content['application/json'].schema;
  if (!schema) return null;
  const { name, schema: found } = resolve(document_, schema);
  const box = make('div');
  box.append(make('p', `${title} ${name}`, 'soft'), make('pre', JSON.stringify(found, null, 2)));
  return box;
};

const operationBox = (document_, path, method, operation) => {
  const details = make('details');
  const summary = make('summary');
  summary.append(make('span', method.toUpperCase(), 'method'), make('code', path), make('span', operation.summary, 'soft'));
  details.append(summary);
  details.addEventListener('toggle', () => {
    if (details.childElementCount > 1) return;
    details.append(make('p', operation.description));
    const table = make('table');
    for (const parameter of operation.parameters || []) {
      if (!parameter.name) continue;
      const row = make('tr');
      row.append(make('td', parameter.name), make('td', parameter.in, 'soft'), make('td', parameter.description || ''));
      table.append(row);
    }
    details.append(table);
    const body = block(document_, 'Body:', operation.requestBody && operation.requestBody.content);
    const answer = block(document_, 'Response:', operation.responses['200'] && operation.responses['200'].content);
    for (const part of [body, answer]) if (part) details.append(part);
  });
  details.dataset.text = `${method} ${path} ${operation.summary} ${operation.description} ${operation.operationId}`.toLowerCase();
  return details;
};

const draw = (document_) => {
  const areas = new Map();
  for (const [path, methods] of Object.entries(document_.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const area = operation.tags[0];
      if (!areas.has(area)) areas.set(area, []);
      areas.get(area).push(operationBox(document_, path, method, operation));
    }
  }
  list.replaceChildren();
  for (const [area, boxes] of areas) {
    const section = make('section');
    section.append(make('h2', area), ...boxes);
    list.append(section);
  }
};

const filter = () => {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const section of list.querySelectorAll('section')) {
    let any = false;
    for (const box of section.querySelectorAll('details')) {
      const fits = words.every((word) => box.dataset.text.includes(word));
      box.hidden = !fits;
      any ||= fits;
      shown += fits ? 1 : 0;
    }
    section.hidden = !any;
  }
  count.textContent = `${shown} endpoints found`;
};

fetch('/openapi.json')
  .then((answer) => answer.json())
  .then((document_) => {
    draw(document_);
    filter();
    find.addEventListener('input', filter);
  })
  .catch(() => list.replaceChildren(make('p', 'The API document did not load. Reload the page.')));
