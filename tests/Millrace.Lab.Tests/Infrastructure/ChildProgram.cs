namespace Millrace.Lab.Tests.Infrastructure;

/// <summary>The program that tests run in separate processes.</summary>
internal static class ChildProgram
{
    public static string Path { get; } = System.IO.Path.Combine(AppContext.BaseDirectory, "Millrace.Lab.Tests.Child.dll");
}
