import { openDataset } from './dataset.ts'
import { readOptions } from './options.ts'

const t = Date.now()
const d = await openDataset(readOptions(process.argv.slice(2)))
console.log(d.env, Date.now() - t)
await d.close()
