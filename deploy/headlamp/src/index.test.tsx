import { ApiProxy } from '@kinvolk/headlamp-plugin/lib';
import { render, waitFor } from '@testing-library/react';
import { loadAll } from 'js-yaml';
import { beforeAll, expect, test, vi } from 'vitest';
import example from '../parts/cluster.yaml?raw';
import said from '../parts/explain.txt?raw';
import worker from '../parts/worker.js?raw';
import { explain } from './index';

const register = vi.hoisted(() => vi.fn());
vi.mock('@kinvolk/headlamp-plugin/lib', () => ({
  ApiProxy: { clusterRequest: vi.fn() },
  registerDetailsViewSection: register,
}));
vi.mock('@kinvolk/headlamp-plugin/lib/CommonComponents', () => ({
  Loader: ({ title }: { title: string }) => <p>{title}</p>,
  SectionBox: ({ children }: { children: any }) => <section>{children}</section>,
}));

const Section = register.mock.calls[0][0];

function bytes(file: File): Promise<Uint8Array> {
  return new Promise(resolve => {
    const reader = new FileReader();
    reader.onload = () => resolve(new Uint8Array(reader.result as ArrayBuffer));
    reader.readAsArrayBuffer(file);
  });
}

/** A worker without a thread: the page's own script, whose files are read before it is asked. */
class FakeWorker {
  onmessage?: (event: object) => void;
  private hear = new Function(
    'postMessage',
    'FileReaderSync',
    `let onmessage; ${worker}; return onmessage;`
  )(
    (data: object) => this.onmessage!({ data }),
    class {
      readAsArrayBuffer = (piece: Uint8Array) => piece;
    }
  );

  async postMessage({ lent, ...data }: { lent?: File[] }) {
    const files = lent && (await Promise.all(lent.map(bytes)));
    await this.hear({ data: { ...data, lent: files } });
  }

  terminate() {}
}

interface Item {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}
const items = loadAll(example).flatMap((value: any) => value.items ?? value) as Item[];

/** A Kubernetes API of the example, with three objects in a page. `refused` may not be listed in all namespaces. */
function serve(refused: string[] = [], expired = '') {
  const asked: string[] = [];
  vi.mocked(ApiProxy.clusterRequest).mockImplementation(async (path: string) => {
    asked.push(path);
    if (path === '/version') return new Response('{"gitVersion":"v1.37.1"}');
    const url = new URL(path, 'http://cluster');
    const parts = url.pathname.replace(/^\/apis?\//, '').split('/');
    const plural = parts.pop()!;
    if (refused.includes(plural) && !parts.includes('namespaces')) {
      throw Object.assign(new Error(`Forbidden - ${plural} is forbidden`), { status: 403 });
    }
    const version = parts.join('/').replace(/\/namespaces\/.*/, '');
    const found = items.filter(
      item =>
        item.apiVersion === version && `${item.kind.toLowerCase().replace(/s$/, 'se')}s` === plural
    );
    if (!found.length) throw Object.assign(new Error('Not Found - no such list'), { status: 404 });
    const from = Number(url.searchParams.get('continue') ?? 0);
    if (from && expired === plural) throw Object.assign(new Error('Gone'), { status: 410 });
    const to = url.search ? from + 3 : found.length;
    const token = to < found.length ? `${to}` : '';
    const metadata = { resourceVersion: '7', continue: token };
    const list = {
      apiVersion: version,
      kind: `${found[0].kind}List`,
      metadata,
      // Objects in a list do not say their kind.
      items: found
        .slice(from, to)
        .map(item => ({ ...item, apiVersion: undefined, kind: undefined })),
    };
    return new Response(JSON.stringify(list));
  });
  return asked;
}

const ask = () => explain('prod', 'shop', 'web-6d4cf56db6-q7rtz');
const heading = (page: string) =>
  new DOMParser().parseFromString(page, 'text/html').querySelector('h1')!.textContent;

// The engine is compiled for each answer.
vi.setConfig({ testTimeout: 60_000 });
beforeAll(() => {
  vi.stubGlobal('Worker', FakeWorker);
  URL.createObjectURL = () => '';
});

test('the first line is that of kubectl preempt explain', async () => {
  const asked = serve();
  const page = await ask();
  expect(`! ${heading(page)}`).toBe(`${said.split('\n')[0]}.`);
  expect(page).not.toContain('--from');
  expect(asked).toContain('/api/v1/pods?limit=500&continue=3');
});

test('a list that expires is read again in one piece', async () => {
  const asked = serve([], 'pods');
  expect(heading(await ask())).toContain('evict 2 pods on worker-3');
  expect(asked).toContain('/api/v1/pods');
});

test('a list that may not be read makes the answer say so', async () => {
  serve(['poddisruptionbudgets']);
  const page = await ask();
  expect(page).toContain('PDBs unknown');
  expect(page).toContain('Forbidden - poddisruptionbudgets is forbidden');
});

test('pods of the own namespace are read where those of all may not be', async () => {
  const asked = serve(['pods']);
  expect(heading(await ask())).toContain('web-6d4cf56db6-q7rtz');
  expect(asked).toContain('/api/v1/namespaces/shop/pods?limit=500');
});

test('a section is shown for a pod that waits, in a frame without scripts', async () => {
  serve();
  const pod = (items as any[]).find(item => item.metadata.name === 'web-6d4cf56db6-q7rtz');
  expect(Section({ resource: { jsonData: { ...pod, spec: { nodeName: 'n' } } } })).toBeNull();
  expect(Section({ resource: { jsonData: { kind: 'Node' } } })).toBeNull();
  const { container } = render(Section({ resource: { jsonData: pod, cluster: 'prod' } }));
  await waitFor(() => expect(container.querySelector('iframe')).not.toBeNull(), {
    timeout: 50_000,
  });
  const frame = container.querySelector('iframe')!;
  expect(frame.getAttribute('sandbox')).toBe('');
  expect(heading(frame.srcdoc)).toContain('no node fits');
});
