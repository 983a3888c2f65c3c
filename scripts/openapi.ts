import { readFileSync, writeFileSync } from 'node:fs'
import { describeRoutes } from '../packages/server/src/api/v4/openapi.ts'
import { routes } from '../packages/server/src/routes.ts'

// Writes docs/api/openapi.json; with --check only tells whether it is what the routes say.
const file = new URL('../docs/api/openapi.json', import.meta.url)
const document = `${JSON.stringify(describeRoutes(routes), null, 2)}\n`

if (!process.argv.includes('--check')) {
  writeFileSync(file, document)
} else if (readFileSync(file, 'utf8') !== document) {
  console.error('docs/api/openapi.json is not what the routes say; run npm run openapi')
  process.exit(1)
}
