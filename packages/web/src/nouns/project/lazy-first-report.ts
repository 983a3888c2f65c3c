import { lazyComponent, nothingYet } from '../../components/lazy-component.tsx'

export const FirstReport = lazyComponent(async () => (await import('./first-report.tsx')).FirstReport, nothingYet)
