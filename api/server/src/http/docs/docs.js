// Shows the endpoints of openapi.json. The script must only insert text, never markup.
const operationList = document.getElementById('list');
const searchInput = document.getElementById('find');
const resultCount = document.getElementById('count');

const createElement = (tag, text, className) => {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  if (className) element.className = className;
  return element;
};

const resolveReference = (document_, schema) => {
  const name = schema && schema.$ref && schema.$ref.split('/').pop();
  return name ? { name, schema: document_.components.schemas[name] } : { name: '', schema };
};

const createSchemaBlock = (document_, title, content) => {
  const schema = content && content['application/json'] && content['application/json'].schema;
  if (!schema) return null;
  const { name, schema: resolvedSchema } = resolveReference(document_, schema);
  const box = createElement('div');
  box.append(createElement('p', `${title} ${name}`, 'soft'), createElement('pre', JSON.stringify(resolvedSchema, null, 2)));
  return box;
};

const createOperationBox = (document_, path, method, operation) => {
  const details = createElement('details');
  const summary = createElement('summary');
  summary.append(createElement('span', method.toUpperCase(), 'method'), createElement('code', path), createElement('span', operation.summary, 'soft'));
  details.append(summary);
  details.addEventListener('toggle', () => {
    if (details.childElementCount > 1) return;
    details.append(createElement('p', operation.description));
    const table = createElement('table');
    for (const parameter of operation.parameters || []) {
      if (!parameter.name) continue;
      const row = createElement('tr');
      row.append(createElement('td', parameter.name), createElement('td', parameter.in, 'soft'), createElement('td', parameter.description || ''));
      table.append(row);
    }
    details.append(table);
    const body = createSchemaBlock(document_, 'Body:', operation.requestBody && operation.requestBody.content);
    const response = createSchemaBlock(document_, 'Response:', operation.responses['200'] && operation.responses['200'].content);
    for (const schemaBlock of [body, response]) if (schemaBlock) details.append(schemaBlock);
  });
  details.dataset.text = `${method} ${path} ${operation.summary} ${operation.description} ${operation.operationId}`.toLowerCase();
  return details;
};

const showOperations = (document_) => {
  const areas = new Map();
  for (const [path, methods] of Object.entries(document_.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const area = operation.tags[0];
      if (!areas.has(area)) areas.set(area, []);
      areas.get(area).push(createOperationBox(document_, path, method, operation));
    }
  }
  operationList.replaceChildren();
  for (const [area, boxes] of areas) {
    const section = createElement('section');
    section.append(createElement('h2', area), ...boxes);
    operationList.append(section);
  }
};

const applySearch = () => {
  const words = searchInput.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shownCount = 0;
  for (const section of operationList.querySelectorAll('section')) {
    let hasMatch = false;
    for (const box of section.querySelectorAll('details')) {
      const matches = words.every((word) => box.dataset.text.includes(word));
      box.hidden = !matches;
      hasMatch ||= matches;
      shownCount += matches ? 1 : 0;
    }
    section.hidden = !hasMatch;
  }
  resultCount.textContent = `${shownCount} endpoints found`;
};

fetch('/openapi.json')
  .then((response) => response.json())
  .then((document_) => {
    showOperations(document_);
    applySearch();
    searchInput.addEventListener('input', applySearch);
  })
  .catch(() => operationList.replaceChildren(createElement('p', 'The API document could not be loaded. Reload the page.')));
