import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { routes } from '../../routes.ts'
import { describeRoutes } from './openapi.ts'
import { addressOf } from './route.ts'

interface Operation {
  operationId: string
  parameters: { name: string; in: string }[]
  responses: Record<string, object>
}
const document = describeRoutes(routes) as { paths: Record<string, Record<string, Operation>> }

test('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document))
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
})

test('every route is in it, with its status and all parameters of its path', () => {
  for (const route of routes) {
    const address = addressOf(route).replace(/:(\w+)/g, '{$1}')
    const operation = document.paths[address]?.[route.method.toLowerCase()]
    expect([address, Object.keys(operation?.responses ?? {})]).toEqual([address, [String(route.status), '4XX']])
    const named = operation?.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    expect(named).toEqual([...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name))
  }
})

test('operations have different names', () => {
  const names = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId))
  expect(new Set(names).size).toBe(names.length)
})
