/// Polygons as one flat list of corners: face `f` owns `corners[offsets[f]..offsets[f + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polygons {
    offsets: Vec<u32>,
    corners: Vec<u32>,
}

/// Why arrays do not describe polygons.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolygonsError {
    /// More corners than `u32` can count.
    #[error("a mesh has more than {} face corners", u32::MAX)]
    TooMany,
}

impl Default for Polygons {
    fn default() -> Self {
        Self { offsets: vec![0], corners: Vec::new() }
    }
}

impl Polygons {
    /// An empty list with room for `faces` faces and `corners` corners.
    pub fn with_capacity(faces: usize, corners: usize) -> Self {
        let mut offsets = Vec::with_capacity(faces + 1);
        offsets.push(0);
        Self { offsets, corners: Vec::with_capacity(corners) }
    }

    /// Appends a face.
    ///
    /// # Errors
    /// [`PolygonsError::TooMany`] when the corner count leaves `u32`.
    pub fn push(&mut self, face: impl IntoIterator<Item = u32>) -> Result<(), PolygonsError> {
        self.corners.extend(face);
        let end = u32::try_from(self.corners.len()).map_err(|_| PolygonsError::TooMany)?;
        self.offsets.push(end);
        Ok(())
    }

    /// Number of faces.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no faces.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The corners of face `face`, in winding order.
    ///
    /// # Panics
    /// When `face` is not below [`Polygons::len`].
    pub fn face(&self, face: usize) -> &[u32] {
        &self.corners[self.corner_range(face)]
    }

    /// Where the corners of face `face` stand in [`Polygons::corners`].
    ///
    /// # Panics
    /// When `face` is not below [`Polygons::len`].
    pub fn corner_range(&self, face: usize) -> std::ops::Range<usize> {
        self.offsets[face] as usize..self.offsets[face + 1] as usize
    }

    /// All faces in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        self.offsets.windows(2).map(|w| &self.corners[w[0] as usize..w[1] as usize])
    }

    /// All corners, face after face.
    pub fn corners(&self) -> &[u32] {
        &self.corners
    }
}

/// Texture coordinates with an index per face corner.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct UvSet {
    /// The coordinates.
    pub coords: Vec<[f32; 2]>,
    /// One index into `coords` per face corner, in the order of [`Polygons::corners`].
    pub corners: Vec<u32>,
}

/// A polygon mesh.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Mesh {
    /// Vertex positions: world space, cm, Y up.
    pub positions: Vec<[f32; 3]>,
    /// Faces; corners are indices into `positions`.
    pub faces: Polygons,
    /// Texture coordinates, where the mesh has some.
    pub uv: Option<UvSet>,
}
