import packed from '../parts/packed.txt?raw';
import worker from '../parts/worker.js?raw';

/** The engine of the page for browsers, in a worker of its own. */
export class Engine {
  private worker = new Worker(URL.createObjectURL(new Blob([worker], { type: 'text/javascript' })));

  private send(message: object): Promise<any> {
    return new Promise((resolve, reject) => {
      this.worker.onerror = event => reject(new Error(event.message));
      this.worker.onmessage = ({ data }) => {
        if (data.progress) return;
        if (data.answer.answer === 'error') reject(new Error(data.answer.problem));
        else resolve(data.answer);
      };
      this.worker.postMessage(message);
    });
  }

  async start(): Promise<void> {
    const bytes = Uint8Array.from(atob(packed), char => char.charCodeAt(0));
    const stream = new Response(bytes).body!.pipeThrough(new DecompressionStream('gzip'));
    await this.send({ wasm: await new Response(stream).arrayBuffer() });
  }

  /** Asks one question (`PageQuestion` in crates/page) about the files that it was lent last. */
  ask(question: object, lent?: File[]): Promise<any> {
    return this.send({ question, lent });
  }

  end() {
    this.worker.terminate();
  }
}
