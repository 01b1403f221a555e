// Search without a server: browsers start no workers from files, so the search's worker runs in a hidden frame instead.
// The theme asks for a class of this name (its own copy would come from the network).
class IFrameWorker extends EventTarget {
  constructor(url) {
    super();
    this.onmessage = null;
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    document.body.append(this.frame);
    const page = this.frame.contentDocument;
    page.open();
    page.write("<!doctype html><html><body></body></html>");
    page.close();
    const inner = this.frame.contentWindow;
    const load = (address) =>
      new Promise((resolve, reject) => {
        const script = page.createElement("script");
        script.src = address;
        script.onload = resolve;
        script.onerror = () => reject(new Error(`${address} cannot be loaded`));
        page.body.append(script);
      });
    inner.postMessage = (data) => {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    };
    inner.importScripts = (...addresses) =>
      addresses.flat().reduce((before, address) => before.then(() => load(address)), Promise.resolve());
    this.ready = load(url);
  }

  postMessage(data) {
    const inner = this.frame.contentWindow;
    this.ready.then(() => inner.dispatchEvent(new inner.MessageEvent("message", { data })));
  }

  terminate() {
    this.frame.remove();
  }
}

window.IFrameWorker = IFrameWorker;
if (location.protocol === "file:") window.Worker = IFrameWorker;
