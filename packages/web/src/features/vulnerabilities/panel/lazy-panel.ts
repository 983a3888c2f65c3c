import { lazyComponent } from '../../../components/lazy-component.tsx'

export const VulnerabilityPanel = lazyComponent(
  async () => (await import('./vulnerability-panel.tsx')).VulnerabilityPanel,
)
