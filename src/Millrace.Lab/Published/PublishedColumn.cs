namespace Millrace.Lab.Published;

/// <summary>A column of a published table.</summary>
/// <param name="Name">Its name, for example "mean".</param>
/// <param name="Unit">The unit as published: "us", "ms", "KB" (1024 bytes), "MB", "1" for a number without one.</param>
/// <param name="Meaning">What it is.</param>
internal sealed record PublishedColumn(string Name, string Unit, string Meaning);
