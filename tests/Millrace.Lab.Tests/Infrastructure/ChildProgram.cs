namespace Millrace.Lab.Tests.Infrastructure;

/// <summary>The program that tests run in processes of its own.</summary>
internal static class ChildProgram
{
    public static string Path { get; } = System.IO.Path.Combine(AppContext.BaseDirectory, "Millrace.Lab.Tests.Child.dll");
}
