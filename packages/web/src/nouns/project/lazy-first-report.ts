import { lazyComponent, nothingYet } from '../../components/lazy-component.tsx'

export const FirstReport = lazyComponent(async () => (await import('./first-report.tsx')).FirstReport, nothingYet)

export const FirstImportState = lazyComponent(
  async () => (await import('./first-import.tsx')).FirstImportState,
  nothingYet,
)

export const FirstImportResult = lazyComponent(
  async () => (await import('./first-import.tsx')).FirstImportResult,
  nothingYet,
)
