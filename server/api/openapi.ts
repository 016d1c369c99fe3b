import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { ENDPOINTS } from './endpoints.ts';
import type { FileEndpoint } from './file-endpoint.ts';
import { FILE_ENDPOINTS } from './files.ts';
import { errorEnvelope } from './schemas.ts';
import type { UploadEndpoint } from './upload-endpoint.ts';
import { UPLOAD_ENDPOINTS } from './uploads.ts';
import { VERSION } from './version.ts';

type Json = Record<string, unknown>;

const ERROR_ANSWER = {
  description: 'The error, with what to do',
  content: { 'application/json': { schema: schemaOf(errorEnvelope, 'output') } },
};

/** The OpenAPI 3.1 description of `/api/v1`, made from the schemas that the calls are checked with. */
export function openApi(): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of ENDPOINTS) {
    const path = `/api/v1${endpoint.path}`;
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint) };
  }
  for (const endpoint of FILE_ENDPOINTS)
    paths[`/api/v1${endpoint.path}`] = { get: fileOperationOf(endpoint) };
  for (const endpoint of UPLOAD_ENDPOINTS)
    paths[`/api/v1${endpoint.path}`] = { post: uploadOperationOf(endpoint) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Context Mode',
      version: VERSION,
      description: 'The archive of every conversation that passed through the gateway.',
    },
    paths,
  };
}

function operationOf(endpoint: Endpoint): Json {
  const { properties = {}, required = [] } = schemaOf(endpoint.input, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const hasBody = endpoint.method === 'PATCH' || endpoint.method === 'POST';
  const inBody = (name: string) => hasBody && !endpoint.path.includes(`{${name}}`);
  const fields = Object.fromEntries(Object.entries(properties).filter(([name]) => inBody(name)));
  const requestBody = {
    required: true,
    content: {
      'application/json': {
        schema: { type: 'object', properties: fields, required: required.filter(inBody) },
      },
    },
  };
  const outside = Object.entries(properties).filter(([name]) => !inBody(name));
  const parameters = outside.map(([name, { description, ...schema }]) => {
    const inPath = endpoint.path.includes(`{${name}}`);
    return {
      name,
      in: inPath ? 'path' : 'query',
      required: inPath || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
    };
  });
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    parameters,
    ...(Object.keys(fields).length > 0 ? { requestBody } : {}),
    responses: {
      200: {
        description: endpoint.summary,
        content: { 'application/json': { schema: schemaOf(endpoint.output, 'output') } },
      },
      default: ERROR_ANSWER,
    },
  };
}

function fileOperationOf(endpoint: FileEndpoint): Json {
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    parameters: endpoint.parameters.map(({ optional = false, ...one }) => ({
      ...one,
      required: !optional,
      schema: { type: 'string' },
    })),
    responses: {
      200: { description: endpoint.summary, content: { [endpoint.mime]: {} } },
      default: ERROR_ANSWER,
    },
  };
}

function uploadOperationOf(endpoint: UploadEndpoint): Json {
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    parameters: endpoint.parameters.map((one) => ({ ...one, in: 'query', schema: { type: 'string' } })),
    ...(endpoint.mime === null ? {} : { requestBody: { required: true, content: { [endpoint.mime]: {} } } }),
    responses: {
      200: {
        description: endpoint.summary,
        content: { 'application/json': { schema: schemaOf(endpoint.output, 'output') } },
      },
      default: ERROR_ANSWER,
    },
  };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const {
    $schema: _,
    $defs: definitions,
    ...rest
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  return inlined(rest, (definitions ?? {}) as Record<string, Json>) as Json;
}

/** Puts named definitions in their places, so that every operation can be read alone. None of them is recursive. */
function inlined(node: unknown, definitions: Record<string, Json>): unknown {
  if (Array.isArray(node)) return node.map((one) => inlined(one, definitions));
  if (typeof node !== 'object' || node === null) return node;
  const reference = (node as { $ref?: unknown }).$ref;
  if (typeof reference === 'string') {
    const { id: _, ...definition } = definitions[reference.replace('#/$defs/', '')] ?? {};
    return inlined(definition, definitions);
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(value, definitions)]));
}
