import { type Browser, chromium } from 'playwright-core'

/**
 * Starts Chromium from npm. Its default switches disable security features, so this function uses others, and pages behave as
 * in a user's browser. `more` are additional switches.
 */
export async function openBrowser(more: readonly string[] = []): Promise<Browser> {
  return withLibraries(async (executablePath) => {
    const defined = Object.entries(process.env).filter(([, value]) => value !== undefined)
    const env = Object.fromEntries(defined) as Record<string, string> // without the undefined values
    return chromium.launch({ executablePath, args: [...switches, ...more], env })
  })
}

/** Unpacks the browser into the folder for temporary files, unless it is there. */
export const unpackBrowser = (): Promise<void> => withLibraries(async () => {})

/** Runs work in the environment of the package, which unpacks its libraries only if it detects AWS Lambda. */
async function withLibraries<T>(work: (executablePath: string) => Promise<T>): Promise<T> {
  const before = { ...process.env }
  process.env['AWS_EXECUTION_ENV'] = 'AWS_Lambda_nodejs22.x'
  process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs22.x'
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    return await work(await packaged.executablePath())
  } finally {
    for (const name of ['AWS_EXECUTION_ENV', 'AWS_LAMBDA_JS_RUNTIME']) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  }
}

const switches = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
