import { afterAll, beforeAll } from 'vitest'
import { startDemo, testAreas } from './access-tour.ts'
import type { Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startDemo()
})
afterAll(() => web?.close())

await testAreas(['project'], () => web)
