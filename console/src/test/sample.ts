// Generates sample records and responses from openapi.json, so that a test only needs the name of a schema. The output is always
// the same: the value of a string field is the name of the field, a number is 7, and an enumeration has its first value.
import { readFileSync } from 'node:fs';
import type { Schemas } from '@/api/client';

interface Schema {
  $ref?: string;
  oneOf?: Schema[];
  allOf?: Schema[];
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
}

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const openapi: OpenApi = JSON.parse(readFileSync('openapi.json', 'utf8'));

/** Arrays at a greater depth are empty, because some schemas are recursive. */
const MAX_DEPTH = 6;

export function createSample<Name extends keyof Schemas>(name: Name): Schemas[Name] {
  return generate({ $ref: `#/components/schemas/${name}` }, name, 0) as Schemas[Name];
}

/** Creates the body of a successful response of an endpoint. Returns null if openapi.json has no such endpoint. */
export function createSampleResponse(method: string, path: string): unknown {
  const pathSegments = path.split('/');
  const matchesPath = (template: string) => {
    const segments = template.split('/');
    return (
      segments.length === pathSegments.length &&
      segments.every((segment, index) => segment.startsWith('{') || segment === pathSegments[index])
    );
  };
  const paths = Object.keys(openapi.paths);
  const template = paths.includes(path) ? path : paths.find(matchesPath);
  const operation = template && openapi.paths[template]?.[method.toLowerCase()];
  const content = operation && (operation.responses['200'] ?? operation.responses['201'])?.content;
  return content ? generate(content['application/json']?.schema ?? {}, 'response', 0) : null;
}

function generate(schema: Schema, name: string, depth: number): unknown {
  if (schema.$ref) {
    const referencedSchema = openapi.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
    return referencedSchema && generate(referencedSchema, name, depth);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.examples) return schema.examples[0];
  const [alternative] = schema.oneOf ?? [];
  if (alternative) return generate(alternative, name, depth);
  if (schema.allOf)
    return Object.assign({}, ...schema.allOf.map((partialSchema) => generate(partialSchema, name, depth)));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'integer' || type === 'number') return 7;
  if (type === 'boolean') return true;
  if (type === 'array') return depth < MAX_DEPTH && schema.items ? [generate(schema.items, name, depth + 1)] : [];
  if (type === 'object' || schema.properties) return generateObject(schema, depth);
  return name;
}

function generateObject({ properties = {}, additionalProperties }: Schema, depth: number): unknown {
  const fields = Object.entries(properties).map(([name, schema]) => [name, generate(schema, name, depth + 1)]);
  const hasTranslations = typeof additionalProperties === 'object' && additionalProperties.type === 'object';
  return Object.fromEntries(hasTranslations ? [...fields, ['en', { name: 'Name' }]] : fields);
}
