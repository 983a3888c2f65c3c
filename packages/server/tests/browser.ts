import { type Browser, chromium } from 'playwright-core'

/**
 * Starts Chromium from npm. The package unpacks its libraries only if it detects AWS Lambda, and its default switches
 * disable security features. This function works around both, so that pages behave as in a user's browser. `more` are
 * additional switches.
 */
export async function openBrowser(more: readonly string[] = []): Promise<Browser> {
  const before = { ...process.env }
  process.env['AWS_EXECUTION_ENV'] = 'AWS_Lambda_nodejs22.x'
  process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs22.x'
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    const executablePath = await packaged.executablePath()
    const env = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >
    return await chromium.launch({ executablePath, args: [...switches, ...more], env })
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
