import { readFileSync, writeFileSync } from 'node:fs'
import { describeApi } from '../packages/server/src/api/v4/openapi-document.ts'
import { routes } from '../packages/server/src/routes.ts'
import { clientTypes, type OpenApi } from './client-types.ts'

// Writes docs/api/openapi.json and the client's types. With --check, only compares them with the routes.
const document = describeApi(routes)
const files: Record<string, string> = {
  '../docs/api/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  '../packages/client/src/operations.ts': clientTypes(document as OpenApi), // what describeApi returns
}

for (const [name, content] of Object.entries(files)) {
  const file = new URL(name, import.meta.url)
  if (!process.argv.includes('--check')) {
    writeFileSync(file, content)
  } else if (readFileSync(file, 'utf8') !== content) {
    console.error(`${name.slice(3)} is not what the routes say; run npm run openapi`)
    process.exitCode = 1
  }
}
