// Keeps a painted picture that reaches beyond the view: panning only shifts it, which the browser
// does while it puts the page together, without painting or copying a pixel of the canvas.
import type { Size } from "../logic/layout";
import { type Camera, paint, type Picture } from "./paint";

const MARGIN = 0.35; // of the view, on each side

export class Painter {
  private readonly onto: CanvasRenderingContext2D;
  private picture: Picture | null = null;
  private size: Size = { width: 0, height: 0 };
  private camera: Camera = { x: 0, y: 0, zoom: 1 };
  /** The camera the picture was painted with; null when it must be painted anew. */
  private painted: Camera | null = null;
  private frame = 0;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.onto = canvas.getContext("2d", { alpha: false })!;
  }

  show(picture: Picture, size: Size, camera: Camera) {
    this.picture = picture;
    this.size = size;
    this.camera = camera;
    this.painted = null;
    this.ask();
  }

  look(camera: Camera) {
    this.camera = camera;
    this.ask();
  }

  end() {
    cancelAnimationFrame(this.frame);
  }

  private ask() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  private draw() {
    if (!this.picture || this.size.width === 0) return;
    const ratio = devicePixelRatio || 1;
    const margin = {
      width: Math.round(this.size.width * MARGIN),
      height: Math.round(this.size.height * MARGIN),
    };
    if (!this.covers(margin)) this.repaint(margin, ratio);
    const painted = this.painted!;
    // Whole pixels of the screen, or text would blur.
    const shift = (from: number, to: number) => Math.round((from - to) * this.camera.zoom * ratio) / ratio;
    const [dx, dy] = [shift(painted.x, this.camera.x), shift(painted.y, this.camera.y)];
    this.canvas.style.transform = `translate(${dx}px, ${dy}px)`;
  }

  private covers(margin: Size): boolean {
    if (!this.painted || this.painted.zoom !== this.camera.zoom) return false;
    const dx = (this.camera.x - this.painted.x) * this.camera.zoom;
    const dy = (this.camera.y - this.painted.y) * this.camera.zoom;
    return dx >= 0 && dy >= 0 && dx <= 2 * margin.width && dy <= 2 * margin.height;
  }

  private repaint(margin: Size, ratio: number) {
    const size = { width: this.size.width + 2 * margin.width, height: this.size.height + 2 * margin.height };
    resize(this.canvas, size, ratio);
    this.onto.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { x, y, zoom } = this.camera;
    this.painted = { x: x - margin.width / zoom, y: y - margin.height / zoom, zoom };
    paint(this.onto, this.picture!, this.painted, size);
    // Panning must rarely come here; the browser tests count.
    this.canvas.dataset.paints = String(Number(this.canvas.dataset.paints ?? 0) + 1);
  }
}

function resize(canvas: HTMLCanvasElement, size: Size, ratio: number) {
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  if (canvas.width === width && canvas.height === height) return;
  canvas.width = width;
  canvas.height = height;
  canvas.style.width = `${size.width}px`;
  canvas.style.height = `${size.height}px`;
}
