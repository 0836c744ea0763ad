//! Pictures of meshes, without a graphics card: a software rasteriser with fixed cameras, flat and smooth shading,
//! heat maps, and PNG files. The same scene gives the same bytes on any number of threads.
//!
//! Positions are world space: cm, +Y up, +Z towards the front, +X the character's left. Colours are linear RGB.
#![forbid(unsafe_code)]

mod camera;
mod heat;
mod image;
mod legend;
mod paint;
mod raster;
mod render;
mod vector;

pub use camera::{Bounds, Camera, View};
pub use heat::heat_color;
pub use image::{Image, PngError};
pub use legend::draw_legend;
pub use paint::{EyeLook, Paint};
pub use render::{MeshView, RenderOptions, Shading, render};
